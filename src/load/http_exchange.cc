#include "load/http_exchange.h"

// asio.h stands first: it says how Asio is compiled.
#include <boost/beast/core/flat_buffer.hpp>
#include <boost/beast/core/tcp_stream.hpp>
#include <boost/beast/http/parser.hpp>
#include <boost/beast/http/read.hpp>
#include <boost/beast/http/string_body.hpp>
#include <boost/beast/http/write.hpp>

#include <ifaddrs.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>

#include "base/clock.h"
#include "base/lower.h"
#include "base/text.h"

namespace flyball {
namespace {

namespace beast = boost::beast;
namespace http = beast::http;
using boost::system::error_code;

// A body that is told as it comes.
struct ToldBody {
  using value_type = std::function<bool(std::string_view)>;

  class reader {
   public:
    template <bool isRequest, class Fields>
    reader(http::header<isRequest, Fields>&, value_type& told) : told_(told) {}
    void init(const boost::optional<uint64_t>&, error_code& problem) { problem = {}; }
    template <class Buffers>
    size_t put(const Buffers& buffers, error_code& problem) {
      problem = {};
      size_t bytes = 0;
      for (const auto buffer : beast::buffers_range_ref(buffers)) {
        const std::string_view piece(static_cast<const char*>(buffer.data()), buffer.size());
        bytes += piece.size();
        if (!told_(piece)) {
          problem = http::error::bad_value;
          break;
        }
      }
      return bytes;
    }
    void finish(error_code& problem) { problem = {}; }

   private:
    value_type& told_;
  };
};

using Parser = http::response_parser<ToldBody>;

AnswerHead head_of(const Parser& parser) {
  AnswerHead head;
  const auto& fields = parser.get();
  head.status = fields.result_int();
  const auto type = fields[http::field::content_type];
  head.event_stream = lower(std::string(type)).starts_with("text/event-stream");
  const auto length = fields["Inference-Header-Content-Length"];
  if (const auto bytes = parse_integer(std::string(length)); bytes && *bytes >= 0)
    head.json_bytes = *bytes;
  return head;
}

std::chrono::steady_clock::time_point at_time(int64_t monotonic) {
  return std::chrono::steady_clock::time_point(std::chrono::nanoseconds(monotonic));
}

http::request<http::string_body> message_of(const LoadRequest& request, const std::string& host) {
  http::request<http::string_body> message;
  message.version(11);
  message.method_string(request.method);
  message.target(request.path);
  message.set(http::field::host, host);
  message.set(http::field::user_agent, "flyball");
  for (const auto& [name, value] : request.headers) message.set(name, value);
  message.body() = request.body;
  message.prepare_payload();
  return message;
}

}  // namespace

struct LoadConnection::State : std::enable_shared_from_this<State> {
  State(asio::io_context& io, tcp::endpoint to, std::string host, const AnswerLimits& most)
      : stream(io), endpoint(std::move(to)), authority(std::move(host)), limits(most) {}

  void ask(const LoadRequest& asked, int64_t until_ns, Done then) {
    request = &asked;
    deadline_ns = until_ns;
    done = std::move(then);
    if (!message || of != &asked) message = message_of(asked, authority);
    of = &asked;
    begin();
  }

  // Closed by the server while nobody asked, or with words that nobody asked for.
  bool is_stale() {
    char byte = 0;
    const auto got = ::recv(stream.socket().native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
    return got >= 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR);
  }

  void reopen() {
    ++reopened;
    shut();
    begin();
  }

  void begin() {
    if (open && is_stale()) return reopen();
    reused = open;
    reader.emplace(*request);
    stream.expires_at(at_time(deadline_ns));
    if (open) {
      write();
      return;
    }
    buffer.clear();
    stream.async_connect(endpoint, [self = shared_from_this()](error_code problem) {
      if (problem) {
        self->fail(problem);
        return;
      }
      error_code ignored;
      self->stream.socket().set_option(tcp::no_delay(true), ignored);
      self->open = true;
      self->write();
    });
  }

  void write() {
    http::async_write(stream, *message, [self = shared_from_this()](error_code problem, size_t) {
      const bool is_late = problem == beast::error::timeout;
      if (problem && self->reused && !is_late && self->done)  // it took no whole request
        self->reopen();
      else if (problem)
        self->fail(problem);
      else
        self->read();
    });
  }

  void read() {
    parser.emplace();
    parser->header_limit(static_cast<uint32_t>(limits.header_bytes));
    parser->body_limit(limits.body_bytes);
    if (request->method == "HEAD") parser->skip(true);
    parser->get().body() = [this](std::string_view piece) {
      if (!reader->begun()) reader->head(head_of(*parser));
      return reader->add(piece, monotonic_ns());
    };
    http::async_read(stream, buffer, *parser,
                     [self = shared_from_this()](error_code problem, size_t) {
                       if (problem)
                         self->fail(problem);
                       else
                         self->finish();
                     });
  }

  void finish() {
    if (!reader->begun()) reader->head(head_of(*parser));
    if (!parser->get().keep_alive()) shut();
    give(reader->finish(monotonic_ns()));
  }

  void fail(error_code problem) {
    shut();
    if (!done) return;
    if (problem == beast::error::timeout) {
      give(reader->broken(LoadOutcome::timed_out, "no whole answer within --timeout"));
      return;
    }
    const bool nothing_came = !parser || !parser->got_some();
    give(broken(problem, nothing_came));
  }

  LoadAnswer broken(error_code problem, bool nothing_came) {
    if (problem == http::error::bad_value && reader->begun())
      return reader->finish(monotonic_ns());  // the reader had refused it
    if (problem == http::error::body_limit || problem == http::error::header_limit ||
        problem == http::error::buffer_overflow)
      return reader->broken(LoadOutcome::malformed, "an answer larger than loadtest reads");
    if (problem == http::error::partial_message)
      return reader->broken(LoadOutcome::cut, "the connection ended in the middle of an answer");
    if (problem.category() == http::make_error_code(http::error::bad_value).category() &&
        problem != http::error::end_of_stream)
      return reader->broken(LoadOutcome::malformed, "no HTTP: " + problem.message());
    return reader->broken(
        nothing_came ? LoadOutcome::disconnected : LoadOutcome::cut,
        problem == http::error::end_of_stream ? "the server hung up" : problem.message());
  }

  void give(LoadAnswer answer) {
    const Done then = std::move(done);
    done = nullptr;
    then(std::move(answer));
  }

  void shut() {
    open = false;
    stream.close();
    buffer.clear();
  }

  beast::tcp_stream stream;
  tcp::endpoint endpoint;
  std::string authority;
  AnswerLimits limits;
  beast::flat_buffer buffer{size_t{1} << 20};
  std::optional<http::request<http::string_body>> message;
  const LoadRequest* of = nullptr;  ///< which one `message` is
  const LoadRequest* request = nullptr;
  std::optional<AnswerReader> reader;
  std::optional<Parser> parser;
  int64_t deadline_ns = 0;
  Done done;
  bool open = false, reused = false;
  size_t reopened = 0;
};

LoadConnection::LoadConnection(asio::io_context& io, tcp::endpoint endpoint,
                               const LoadTarget& target, const AnswerLimits& limits)
    : state_(std::make_shared<State>(io, std::move(endpoint), target.authority(), limits)) {}

LoadConnection::~LoadConnection() {
  close();
}

void LoadConnection::ask(const LoadRequest& request, int64_t deadline_ns, Done done) {
  state_->parser.reset();
  state_->ask(request, deadline_ns, std::move(done));
}

void LoadConnection::close() {
  state_->done = nullptr;
  state_->shut();
}

size_t LoadConnection::reopened() const {
  return state_->reopened;
}

bool is_of_this_machine(const tcp::endpoint& endpoint) {
  if (endpoint.address().is_loopback()) return true;
  ifaddrs* list = nullptr;
  if (::getifaddrs(&list) != 0) return false;
  bool found = false;
  for (const ifaddrs* entry = list; entry && !found; entry = entry->ifa_next) {
    if (!entry->ifa_addr) continue;
    tcp::endpoint own;
    const int family = entry->ifa_addr->sa_family;
    if (family != AF_INET && family != AF_INET6) continue;
    const size_t size = family == AF_INET ? sizeof(sockaddr_in) : sizeof(sockaddr_in6);
    std::copy_n(reinterpret_cast<const char*>(entry->ifa_addr), size,
                reinterpret_cast<char*>(own.data()));
    found = own.address() == endpoint.address();
  }
  ::freeifaddrs(list);
  return found;
}

}  // namespace flyball
