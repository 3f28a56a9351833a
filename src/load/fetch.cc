// Single requests beside a load: metadata, readiness, and the first one of all.
#include <fmt/format.h>

#include <utility>

#include "base/clock.h"
#include "base/os/host_addresses.h"
#include "base/text.h"
#include "load/http_exchange.h"

// asio.h stands first: it says how Asio is compiled.
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/empty_body.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include <chrono>
#include <vector>

namespace flyball {
namespace {

constexpr size_t most_plain_bytes = size_t{4} << 20;

Error not_reached(const LoadTarget& target, const std::string& why) {
  return {Code::unavailable,
          fmt::format("the server at {} does not answer: {}", target.authority(), why),
          "is it running, and listening on that port?"};
}

struct PlainExchange {
  explicit PlainExchange(asio::io_context& io) : stream(io) {
    parser.header_limit(64 << 10);
    parser.body_limit(most_plain_bytes);
  }

  void begin(const tcp::endpoint& endpoint) {
    stream.async_connect(endpoint, [this](boost::system::error_code failed) {
      if ((problem = failed)) return;
      boost::beast::http::async_write(
          stream, request, [this](boost::system::error_code unsent, size_t) {
            if ((problem = unsent)) return;
            boost::beast::http::async_read(
                stream, buffer, parser,
                [this](boost::system::error_code unread, size_t) { problem = unread; });
          });
    });
  }

  boost::beast::tcp_stream stream;
  boost::beast::flat_buffer buffer{size_t{1} << 20};
  boost::beast::http::request<boost::beast::http::empty_body> request;
  boost::beast::http::response_parser<boost::beast::http::string_body> parser;
  boost::system::error_code problem;
};

Result<std::vector<tcp::endpoint>> endpoints_of(const LoadTarget& target) {
  FLYBALL_ASSIGN(const std::vector<std::string> addresses, host_addresses(target.host));
  const auto port = parse_integer(target.port);
  if (!port || *port < 1 || *port > 65535)
    return Error{Code::invalid_argument, fmt::format("'{}' is no port", target.port),
                 "name one from 1 to 65535"};
  std::vector<tcp::endpoint> endpoints;
  for (const std::string& address : addresses) {
    boost::system::error_code problem;
    const auto read = asio::ip::make_address(address, problem);
    if (!problem) endpoints.emplace_back(read, static_cast<unsigned short>(*port));
  }
  return endpoints;
}

}  // namespace

Result<tcp::endpoint> reach(const LoadTarget& target, double timeout_s) {
  FLYBALL_ASSIGN(const auto endpoints, endpoints_of(target));
  boost::system::error_code problem;
  for (const tcp::endpoint& endpoint : endpoints) {
    asio::io_context io;
    boost::beast::tcp_stream stream(io);
    stream.expires_after(std::chrono::nanoseconds(nanoseconds(timeout_s)));
    stream.async_connect(endpoint, [&](boost::system::error_code failed) { problem = failed; });
    io.run();
    if (!problem) return endpoint;
  }
  return not_reached(target, problem.message());
}

Result<PlainAnswer> fetch(const LoadTarget& target, const std::string& path,
                          const std::vector<std::pair<std::string, std::string>>& headers,
                          double timeout_s) {
  FLYBALL_ASSIGN(const tcp::endpoint endpoint, reach(target, timeout_s));
  asio::io_context io;
  PlainExchange exchange(io);
  exchange.request.version(11);
  exchange.request.method(boost::beast::http::verb::get);
  exchange.request.target(path);
  exchange.request.set(boost::beast::http::field::host, target.authority());
  exchange.request.set(boost::beast::http::field::connection, "close");
  for (const auto& [name, value] : headers) exchange.request.set(name, value);
  exchange.stream.expires_after(std::chrono::nanoseconds(nanoseconds(timeout_s)));
  exchange.begin(endpoint);
  io.run();
  if (exchange.problem) return not_reached(target, exchange.problem.message());
  const auto& message = exchange.parser.get();
  return PlainAnswer{static_cast<int>(message.result_int()), message.body()};
}

Result<LoadAnswer> ask_once(const LoadTarget& target, const LoadRequest& request,
                            double timeout_s) {
  FLYBALL_ASSIGN(const tcp::endpoint endpoint, reach(target, timeout_s));
  asio::io_context io;
  LoadConnection connection(io, endpoint, target, {});
  LoadAnswer answer;
  connection.ask(request, monotonic_ns() + nanoseconds(timeout_s),
                 [&](LoadAnswer given) { answer = std::move(given); });
  io.run();
  if (answer.outcome == LoadOutcome::disconnected) return not_reached(target, answer.detail);
  return answer;
}

}  // namespace flyball
