#include "broker/turn_message.h"

#include <gmock/gmock.h>

namespace flyball {
namespace {

using Kind = TurnMessage::Kind;
using ::testing::HasSubstr;

TEST(TurnMessage, ReadsWhatItWrites) {
  for (const TurnMessage& message :
       {TurnMessage{}, TurnMessage{.kind = Kind::done},
        TurnMessage{.kind = Kind::done, .synchronize_ns = 1234},
        TurnMessage{.kind = Kind::hello,
        .role = {.name = "net-1.py", .service = true, .latency_ns = 100'000'000}},
        TurnMessage{.kind = Kind::hello, .role = {.name = "a_b", .share = 2.5}}}) {
    const auto read = parse_turn_message(turn_message(message));
    ASSERT_TRUE(read.ok()) << turn_message(message);
    EXPECT_EQ(read->kind, message.kind);
    EXPECT_EQ(read->role, message.role);
    EXPECT_EQ(read->synchronize_ns, message.synchronize_ns);
  }
}

TEST(TurnMessage, SaysWhatOfAMessageIsWrong) {
  const std::pair<std::string, const char*> cases[] = {
      {"", "greeting, ask or done"},
      {"ask me", "greeting, ask or done"},
      {"done -1", "nanoseconds"},
      {"done 1 2", "nanoseconds"},
      {"done x", "nanoseconds"},
      {"flyball-turn 1 training 1", "five words"},
      {"flyball-turn 2 training 1 a", "version 1"},
      {"flyball-turn 1 king 1 a", "service or training"},
      {"flyball-turn 1 service 0 a", "latency"},
      {"flyball-turn 1 service nan a", "latency"},
      {"flyball-turn 1 service 1e9 a", "latency"},
      {"flyball-turn 1 training 0 a", "share"},
      {"flyball-turn 1 training inf a", "share"},
      {"flyball-turn 1 training 1 ", "name"},
      {"flyball-turn 1 training 1 a\nb", "name"},
      {"flyball-turn 1 training 1 " + std::string(65, 'a'), "name"},
      {std::string(257, 'a'), "longer"}};
  for (const auto& [text, what] : cases) {
    const auto read = parse_turn_message(text);
    ASSERT_FALSE(read.ok()) << text;
    EXPECT_THAT(read.error().message, HasSubstr(what)) << text;
  }
}

TEST(TurnMessage, ARefusalFitsIntoAMessage) {
  EXPECT_EQ(turn_refused(TurnRefusal::many, "why"), "refused many why");
  EXPECT_EQ(turn_refused(TurnRefusal::words, std::string(1000, 'x')).size(), turn_message_bytes);
}

TEST(TurnMessage, ProgramsKnowARefusalByItsWord) {
  const std::pair<const char*, TurnRefusal> cases[] = {
      {"flyball-turn 2 training 1 a", TurnRefusal::version},
      {"flyball-turn 1 king 1 a", TurnRefusal::role},
      {"flyball-turn 1 service 0 a", TurnRefusal::role},
      {"flyball-turn 1 training 1 a b", TurnRefusal::words},
      {"ask me", TurnRefusal::words}};
  for (const auto& [text, refusal] : cases)
    EXPECT_EQ(refusal_of(parse_turn_message(text).error()), refusal) << text;
}

}  // namespace
}  // namespace flyball
