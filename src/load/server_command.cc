#include "load/server_command.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "base/text.h"
#include "profile/trials/program_axes.h"
#include "server/asio.h"

namespace flyball {
namespace {

bool is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\n';
}

// "{name}": a place is a name in braces; JSON in a command is none.
std::vector<std::string> places_of(const std::string& text) {
  std::vector<std::string> places;
  for (size_t at = 0; (at = text.find('{', at)) != std::string::npos; ++at) {
    const size_t end = text.find('}', at);
    if (end == std::string::npos) break;
    const std::string name = text.substr(at + 1, end - at - 1);
    const bool is_name = !name.empty() && std::ranges::all_of(name, [](char c) {
      return std::islower(static_cast<unsigned char>(c)) || c == '_' ||
             std::isdigit(static_cast<unsigned char>(c));
    });
    if (is_name && !std::isdigit(static_cast<unsigned char>(name[0]))) places.push_back(name);
  }
  return places;
}

}  // namespace

Result<std::vector<std::string>> parse_server_command(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool inside = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quote == 0 && is_blank(c)) {
      if (inside) words.push_back(std::exchange(word, ""));
      inside = false;
      continue;
    }
    inside = true;
    if (c == '\\' && quote != '\'' && i + 1 < text.size())
      word += text[++i];
    else if (quote == 0 && (c == '"' || c == '\''))
      quote = c;
    else if (c == quote)
      quote = 0;
    else
      word += c;
  }
  if (quote != 0)
    return Error{Code::invalid_argument, "a quote of --server does not end", "close it"};
  if (inside) words.push_back(word);
  if (words.empty())
    return Error{Code::invalid_argument, "--server names no program",
                 "give its command line: --server \"llama-server -m model.gguf --port {port}\""};
  return words;
}

Status check_places(const std::vector<std::string>& argv, const std::string& url,
                    const std::vector<Axis>& open) {
  std::vector<std::string> places = places_of(url);
  const bool asks_port = std::ranges::find(places, "port") != places.end();
  for (const std::string& word : argv)
    for (std::string& place : places_of(word)) places.push_back(std::move(place));
  for (const std::string& place : places)
    if (place != "port" && !find_axis(open, place))
      return Error{Code::invalid_argument,
                   fmt::format("{} of --server is no axis", placeholder(place)),
                   fmt::format("open it: --axis {}=1,2,4", place)};
  for (const Axis& axis : open) {
    if (axis.name == "port")
      return Error{Code::invalid_argument, "{port} is the port that Flyball chooses, not an axis",
                   "give the axis another name"};
    if (axis.scope == Scope::run && std::ranges::find(places, axis.name) == places.end())
      return Error{Code::invalid_argument,
                   fmt::format("the axis {} is nowhere in --server", axis.name),
                   fmt::format("write {} where the command takes it", placeholder(axis.name))};
  }
  const bool takes_port = std::ranges::any_of(argv, [](const std::string& word) {
    return word.find(placeholder("port")) != std::string::npos;
  });
  if (asks_port && !takes_port)
    return Error{Code::invalid_argument,
                 "--server takes no {port}, so it is not known where it listens",
                 "write {port} where the command takes its port, or name the address: --url "
                 "http://127.0.0.1:8080"};
  return {};
}

Result<int> free_port() {
  try {
    asio::io_context io;
    tcp::acceptor acceptor(io, tcp::endpoint(asio::ip::address_v4::loopback(), 0));
    return acceptor.local_endpoint().port();
  } catch (const boost::system::system_error& error) {
    return Error{Code::unavailable, fmt::format("no port is free: {}", error.what()), ""};
  }
}

}  // namespace flyball
