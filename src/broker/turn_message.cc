#include "broker/turn_message.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/text.h"

namespace flyball {
namespace {

constexpr std::string_view greeting = "flyball-turn", version = "1";
constexpr double least_latency_s = 1e-6, most_latency_s = 86400;
constexpr double least_share = 0.001, most_share = 1000;
constexpr int64_t longest_wait_ns = 86'400'000'000'000;

Error malformed(const std::string& what) {
  return {Code::corrupt, what, ""};
}

Error no_role(const std::string& what) {
  return {Code::invalid_argument, what, ""};
}

constexpr std::array refusal_words = {"words", "version", "role", "name", "many"};

bool is_name(std::string_view text) {
  constexpr std::string_view others = "._-";
  return !text.empty() && text.size() <= turn_name_bytes && std::ranges::all_of(text, [&](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           others.find(c) != others.npos;
  });
}

Result<TurnMessage> parse_hello(const std::vector<std::string>& words) {
  if (words.size() != 5) return malformed("a greeting has five words");
  if (words[1] != version)
    return Error{Code::unavailable, "this broker speaks version 1 of the protocol", ""};
  TurnMessage hello{.kind = TurnMessage::Kind::hello};
  hello.role.service = words[2] == "service";
  if (!hello.role.service && words[2] != "training")
    return no_role("a role is service or training");
  const auto value = parse_double(words[3]);
  const bool fits = hello.role.service
                        ? value && *value >= least_latency_s && *value <= most_latency_s
                        : value && *value >= least_share && *value <= most_share;
  if (!fits)
    return no_role(hello.role.service ? "a latency is 0.000001 to 86400 seconds"
                                      : "a share is 0.001 to 1000");
  if (hello.role.service)
    hello.role.latency_ns = std::llround(*value * 1e9);
  else
    hello.role.share = *value;
  if (!is_name(words[4])) return no_role("a name has 1 to 64 letters, digits and ._-");
  hello.role.name = words[4];
  return hello;
}

Result<TurnMessage> parse_done(const std::vector<std::string>& words) {
  TurnMessage done{.kind = TurnMessage::Kind::done};
  if (words.size() == 1) return done;
  const auto waited_ns = parse_integer(words[1]);
  if (words.size() != 2 || !waited_ns || *waited_ns < 0 || *waited_ns > longest_wait_ns)
    return malformed("done is followed by nanoseconds or by nothing");
  done.synchronize_ns = *waited_ns;
  return done;
}

}  // namespace

std::string turn_refused(TurnRefusal refusal, const std::string& why) {
  return fmt::format("refused {} {}", refusal_words[static_cast<size_t>(refusal)], why)
      .substr(0, turn_message_bytes);
}

TurnRefusal refusal_of(const Error& error) {
  switch (error.code) {
    case Code::unavailable:
      return TurnRefusal::version;
    case Code::invalid_argument:
      return TurnRefusal::role;
    default:
      return TurnRefusal::words;
  }
}

Result<TurnMessage> parse_turn_message(std::string_view text) {
  if (text.size() > turn_message_bytes) return malformed("a message is longer than 256 bytes");
  const std::vector<std::string> words = split(text, ' ');
  if (words.size() == 1 && words[0] == "ask") return TurnMessage{};
  if (!words.empty() && words[0] == "done") return parse_done(words);
  if (!words.empty() && words[0] == greeting) return parse_hello(words);
  return malformed("a message is a greeting, ask or done");
}

std::string turn_message(const TurnMessage& message) {
  switch (message.kind) {
    case TurnMessage::Kind::ask:
      return "ask";
    case TurnMessage::Kind::done:
      return message.synchronize_ns == 0 ? "done" : fmt::format("done {}", message.synchronize_ns);
    case TurnMessage::Kind::hello:
      break;
  }
  const TurnRole& role = message.role;
  return fmt::format(
      "{} {} {} {:.17g} {}", greeting, version, role.service ? "service" : "training",
      role.service ? static_cast<double>(role.latency_ns) * 1e-9 : role.share, role.name);
}

}  // namespace flyball
