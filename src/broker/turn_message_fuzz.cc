// Clients say anything: whatever reads as a message is written and read again as the same, and a
// broker that three clients talk to, one line a message, the first byte saying whose it is, counts
// what it granted and ends when its time is over.
#include <sys/socket.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <string>
#include <string_view>

#include "broker/broker.h"

namespace {

using namespace flyball;

void demand(bool holds) {
  if (!holds) std::abort();
}

void read_again(std::string_view text) {
  const auto message = parse_turn_message(text);
  if (!message) {
    const Error& why = message.error();
    return demand(turn_refused(refusal_of(why), why.message).size() <= turn_message_bytes);
  }
  const auto again = parse_turn_message(turn_message(*message));
  demand(again.ok() && again->kind == message->kind && again->role == message->role &&
         again->synchronize_ns == message->synchronize_ns);
}

struct Talker {
  int fd = -1;
  ~Talker() {
    if (fd >= 0) ::close(fd);
  }
  void connect(Broker& broker) {
    int ends[2] = {-1, -1};
    demand(::socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends) == 0);
    broker.adopt(OwnedSocket(ends[0]));
    fd = ends[1];
  }
  void say(std::string_view text) const {
    (void)!::send(fd, text.data(), text.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
  }
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  Broker broker({}, {.seconds = 0.002, .longest_turn_s = 0.0001});
  Talker talkers[3];
  for (Talker& talker : talkers) talker.connect(broker);
  std::string_view text(reinterpret_cast<const char*>(data), size);
  for (int lines = 0; !text.empty() && lines < 100; ++lines) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    read_again(line.substr(std::min<size_t>(1, line.size())));
    if (!line.empty()) talkers[static_cast<uint8_t>(line[0]) % 3].say(line.substr(1));
  }
  broker.run();
  const BrokerResult result = broker.result();
  for (const TurnClientResult& client : result.clients)
    demand(client.turns == client.turn.count() && client.role.name.size() <= turn_name_bytes);
  demand(result.expelled <= 3);
  return 0;
}
