#include "load/stream_reader.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "load/answer_reader.h"

namespace flyball {
namespace {

std::vector<std::string> events_of(EventReader& reader, const std::string& text) {
  std::vector<std::string> events;
  EXPECT_TRUE(reader.add(text, [&](std::string_view data) {
    events.emplace_back(data);
    return true;
  }));
  return events;
}

std::string chunk(const std::string& content) {
  return R"({"choices":[{"delta":{"content":")" + content + R"("}}]})";
}

TEST(StreamReader, ReadsEventsWhateverEndsTheirLines) {
  EventReader reader;
  EXPECT_EQ(
      events_of(reader, "data: a\n\ndata:b\r\n\r\n: ping\n\ndata: c\ndata: d\r\revent: x\n\n"),
      (std::vector<std::string>{"a", "b", "c\nd"}));
  EXPECT_FALSE(reader.inside());
  EXPECT_TRUE(events_of(reader, "da").empty());
  EXPECT_TRUE(reader.inside());
  EXPECT_EQ(events_of(reader, "ta: e\n\n"), std::vector<std::string>{"e"});
}

TEST(StreamReader, EndsWithALineWithoutEnd) {
  EventReader reader;
  const auto nobody = [](std::string_view) { return true; };
  EXPECT_FALSE(reader.add(std::string(EventReader::most_event_bytes + 1, 'x'), nobody));
}

TEST(StreamReader, FirstTokenIsTheFirstContentThatIsNotEmpty) {
  TokenReader tokens;
  EXPECT_TRUE(tokens.add_event(R"({"choices":[{"delta":{"role":"assistant","content":""}}]})", 1));
  EXPECT_TRUE(tokens.add_event(R"({"choices":[{"delta":{"content":null}}]})", 2));
  EXPECT_EQ(tokens.first_ns(), -1);
  EXPECT_TRUE(tokens.add_event(chunk("two words"), 3));
  EXPECT_TRUE(tokens.add_event(chunk("more"), 4));
  EXPECT_EQ(tokens.first_ns(), 3);
  EXPECT_EQ(tokens.last_ns(), 4);
  EXPECT_EQ(tokens.tokens(), 2);  // chunks
  EXPECT_FALSE(tokens.from_usage());
  EXPECT_TRUE(tokens.add_event(R"({"choices":[],"usage":{"completion_tokens":7}})", 5));
  EXPECT_EQ(tokens.tokens(), 7);
  EXPECT_TRUE(tokens.from_usage());
  EXPECT_EQ(tokens.last_ns(), 4);
  EXPECT_FALSE(tokens.ended());
  EXPECT_TRUE(tokens.add_event("[DONE]", 6));
  EXPECT_TRUE(tokens.ended());
}

TEST(StreamReader, SaysWhatIsWrong) {
  TokenReader tokens;
  EXPECT_FALSE(tokens.add_event("{nonsense\x01", 1));
  EXPECT_EQ(tokens.fault(), "not JSON: {nonsense?");
  TokenReader told;
  EXPECT_FALSE(told.add_event(R"({"error":{"message":"overloaded"}})", 1));
  EXPECT_EQ(told.fault(), "the server said: overloaded");
  TokenReader whole;
  EXPECT_FALSE(whole.add_whole("{}", 1));
  EXPECT_NE(whole.fault().find("no choices"), std::string::npos);
  TokenReader negative;
  EXPECT_TRUE(negative.add_event(R"({"usage":{"completion_tokens":-5}})", 1));
  EXPECT_EQ(negative.tokens(), -1);
}

LoadAnswer answer_to(LoadProtocol protocol, bool streamed, const AnswerHead& head,
                     const std::string& body) {
  LoadRequest request;
  request.protocol = protocol;
  request.streamed = streamed;
  AnswerReader reader(request);
  reader.head(head);
  (void)reader.add(body, 5);
  return reader.finish(9);
}

TEST(AnswerReader, TellsHowAnAnswerEnded) {
  const auto outcome = [](auto... parts) { return answer_to(parts...).outcome; };
  const AnswerHead good{200, false, -1}, events{200, true, -1};
  EXPECT_EQ(outcome(LoadProtocol::http, false, good, ""), LoadOutcome::answered);
  EXPECT_EQ(outcome(LoadProtocol::http, false, AnswerHead{503}, ""), LoadOutcome::refused);
  EXPECT_EQ(outcome(LoadProtocol::http, false, AnswerHead{429}, ""), LoadOutcome::refused);
  EXPECT_EQ(outcome(LoadProtocol::http, false, AnswerHead{404}, "no"), LoadOutcome::http_error);
  EXPECT_EQ(outcome(LoadProtocol::oip, false, good, R"({"outputs":[]})"), LoadOutcome::answered);
  EXPECT_EQ(
      outcome(LoadProtocol::oip, false, AnswerHead{200, false, 14}, "{\"outputs\":[]}\x01\x02"),
      LoadOutcome::answered);
  EXPECT_EQ(outcome(LoadProtocol::oip, false, AnswerHead{200, false, 99}, "{}"),
            LoadOutcome::malformed);
  EXPECT_EQ(outcome(LoadProtocol::oip, false, good, "{}"), LoadOutcome::malformed);
  EXPECT_EQ(outcome(LoadProtocol::openai_chat, true, events, "data: " + chunk("a") + "\n\n"),
            LoadOutcome::cut);
  EXPECT_EQ(outcome(LoadProtocol::openai_chat, true, events,
                    "data: " + chunk("a") + "\n\ndata: [DONE]\n\n"),
            LoadOutcome::answered);
  EXPECT_EQ(outcome(LoadProtocol::openai_chat, true, events, "data: {{\n\n"),
            LoadOutcome::malformed);
}

TEST(AnswerReader, KnowsNoFirstTokenOfAnAnswerInOnePiece) {
  const LoadAnswer whole =
      answer_to(LoadProtocol::openai_completions, false, {200, false, -1},
                R"({"choices":[{"text":"a b"}],"usage":{"completion_tokens":2}})");
  EXPECT_EQ(whole.outcome, LoadOutcome::answered);
  EXPECT_EQ(whole.first_ns, -1);
  EXPECT_EQ(whole.tokens, 2);
}

}  // namespace
}  // namespace flyball
