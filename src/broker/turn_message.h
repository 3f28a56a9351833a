// What processes and the broker say to each other: one short text a message, over a Unix socket
// that keeps messages whole (SOCK_SEQPACKET). docs/how-to/share-a-board.md is the protocol in
// words; include/flyball/flyball_turn.h and bindings/python/flyball/_turn.py speak the clients'
// side. What a client says is not believed: whatever does not read as it should is refused.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/status.h"

namespace flyball {

inline constexpr size_t turn_message_bytes = 256;  ///< at most, of a message
inline constexpr size_t turn_name_bytes = 64;      ///< at most, of a name

inline constexpr const char* turn_welcome = "welcome";
inline constexpr const char* turn_granted = "granted";

/// Why a client is refused; flyball_turn.h makes an errno of each.
enum class TurnRefusal : uint8_t {
  words,    ///< what it says cannot be read, comes out of turn, or not at all
  version,  ///< it speaks another version of the protocol
  role,     ///< of a greeting the role, latency, share or name
  name,     ///< another client has its name
  many,     ///< there are as many clients, or names, as may be
};

/// "refused role a share is 0.001 to 1000": a word for programs, then why; at most
/// turn_message_bytes.
std::string turn_refused(TurnRefusal refusal, const std::string& why);

/// Who asks for turns.
struct TurnRole {
  std::string name{};      ///< letters, digits and ._- only
  bool service = false;    ///< else it trains
  int64_t latency_ns = 0;  ///< of a service: from asking to the end of its turn
  double share = 1;        ///< of a training: of the time that trainings are given

  bool operator==(const TurnRole&) const = default;
};

struct TurnMessage {
  enum class Kind : uint8_t {
    hello,  ///< "flyball-turn 1 service 0.1 NAME", "flyball-turn 1 training 2 NAME"
    ask,    ///< "ask": the client waits for its turn
    done    ///< "done", "done NANOSECONDS": its turn ends; so long it waited for its device in it
  };
  Kind kind = Kind::ask;
  TurnRole role{};             ///< of a hello
  int64_t synchronize_ns = 0;  ///< of done
};

/// Error: what of it cannot be read (refusal_of() says which refusal that is). No text of the
/// client's stands in it.
Result<TurnMessage> parse_turn_message(std::string_view text);
/// The refusal that an error of parse_turn_message() comes to.
TurnRefusal refusal_of(const Error& error);
std::string turn_message(const TurnMessage& message);

}  // namespace flyball
