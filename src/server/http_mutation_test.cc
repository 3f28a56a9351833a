// Thousands of mutated messages against the running endpoint: it does not crash, keeps little, and
// answers each connection as often as a second strict reader counts messages on it.
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "server/http_mutation_testing.h"
#include "server/served_testing.h"

namespace flyball {
namespace {

/// FLYBALL_MUTATION_SEED=N asks for other messages, FLYBALL_MUTATION_CONNECTIONS=N for more.
uint64_t asked_of(const char* variable, uint64_t otherwise) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

std::vector<std::string> seeds() {
  std::vector<std::string> all;
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(
           FLYBALL_SOURCE_DIR "/src/server/http_request_fuzz_seeds"))
    files.push_back(entry.path());
  std::ranges::sort(files);
  for (const auto& file : files) {
    std::stringstream text;
    text << std::ifstream(file, std::ios::binary).rdbuf();
    all.push_back(text.str());
  }
  return all;
}

struct ReadAnswer {
  int status = 0;
  bool closes = false;
  std::string body;
};

// The answers to `messages`; a head that promises more than follows is a failure.
std::vector<ReadAnswer> answers_of(std::string_view heard,
                                   const std::vector<ReadMessage>& messages) {
  std::vector<ReadAnswer> all;
  const std::string_view go_on = "HTTP/1.1 100 Continue\r\n\r\n", length = "\r\nContent-Length: ";
  while (!heard.empty()) {
    if (heard.starts_with(go_on)) {
      heard.remove_prefix(go_on.size());
      continue;
    }
    const size_t end = heard.find("\r\n\r\n"), at = heard.find(length);
    if (!heard.starts_with("HTTP/1.1 ") || end == std::string_view::npos || at > end) {
      ADD_FAILURE() << "this is no answer: " << heard;
      return all;
    }
    ReadAnswer answer;
    answer.status = std::stoi(std::string(heard.substr(9, 3)));
    answer.closes = heard.substr(0, end).find("\r\nConnection: close") != std::string_view::npos;
    size_t bytes = std::stoul(std::string(heard.substr(at + length.size(), 12)));
    const size_t i = all.size();
    if (i < messages.size() && messages[i].method == "HEAD" && messages[i].sound_head) bytes = 0;
    EXPECT_GE(heard.size(), end + 4 + bytes);
    answer.body = heard.substr(end + 4, bytes);
    heard.remove_prefix(std::min(heard.size(), end + 4 + bytes));
    all.push_back(answer);
  }
  return all;
}

bool is_fault(const ReadAnswer& answer) {
  const std::vector<int> faults = {400, 413, 417, 431, 505};
  return answer.closes && std::ranges::find(faults, answer.status) != faults.end();
}
// The second reader does not judge who may ask.
bool is_of_host(const ReadAnswer& answer) {
  return answer.body.find("Host is not HOST") != std::string::npos;
}
bool is_too_long(const ReadAnswer& answer) {
  return answer.body.find("too l") != std::string::npos;
}

std::string id_in(const std::string& text) {
  const size_t at = text.find("\"id\":\"");
  return at == std::string::npos ? "" : text.substr(at + 6, text.find('"', at + 6) - at - 6);
}

// What of the answers does not fit to the messages; "" where all does.
std::string disagreement(const std::vector<ReadMessage>& messages,
                         const std::vector<ReadAnswer>& answers) {
  for (size_t i = 0; i < answers.size(); ++i) {
    if (i >= messages.size()) return "an answer to no message";
    const ReadMessage& message = messages[i];
    const ReadAnswer& answer = answers[i];
    const bool fault = is_fault(answer);
    if (answer.closes && i + 1 < answers.size()) return "an answer behind the last one";
    // What needs no body is answered at its head; the connection ends before a malformed body.
    if (message.kind == ReadMessage::Kind::malformed && !message.sound_head && !fault &&
        answer.status < 400)
      return "a malformed message was taken";
    if (message.kind == ReadMessage::Kind::malformed && !answer.closes)
      return "the connection goes on behind a malformed message";
    if (message.kind == ReadMessage::Kind::whole && fault && !message.asks_close &&
        message.method != "HEAD" && !is_of_host(answer) && !is_too_long(answer))
      return "a sound message was refused: " + answer.body;
    if (message.kind == ReadMessage::Kind::cut && !answer.closes)
      return "an answer before the message was whole";
    if (answer.status == 200 && !id_in(answer.body).empty() &&
        id_in(answer.body) != id_in(message.body))
      return "the answer to another message";
  }
  if (!answers.empty() && answers.back().closes) return "";
  const auto whole = static_cast<size_t>(
      std::ranges::count(messages, ReadMessage::Kind::whole, &ReadMessage::kind));
  if (answers.size() != whole) return "not every whole message was answered";
  if (!messages.empty() && messages.back().kind == ReadMessage::Kind::malformed)
    return "a malformed message was not refused";
  return "";
}

TEST(HttpMutation, ConnectionsStayInStepWithASecondReader) {
  IdentityServing serving;
  HttpOptions options;
  options.limits.body_bytes = 1 << 20;
  const Served served(serving, options);
  const std::vector<std::string> all = seeds();
  ASSERT_GT(all.size(), 10u);
  const uint64_t connections = asked_of("FLYBALL_MUTATION_CONNECTIONS", 4000);
  Random random(asked_of("FLYBALL_MUTATION_SEED", 11));
  [[maybe_unused]] const double before = resident_mib();
  size_t whole = 0, malformed = 0, failures = 0;
  for (uint64_t c = 0; c < connections && failures < 5; ++c) {
    std::string bytes;
    const size_t count = 1 + random.below(3);
    for (size_t m = 0; m < count; ++m) {
      std::string one = all[random.below(all.size())];
      if (const size_t id = one.find("\"id\":\"7\""); id != std::string::npos)
        one[id + 6] = static_cast<char>('0' + m);
      bytes += random.below(3) == 0 ? one : mutated(one, all, random);
    }
    HttpTestClient client(served.server->port());
    const size_t cut = random.below(bytes.size() + 1);
    client.say(bytes.substr(0, cut));
    client.say(bytes.substr(cut));
    client.end_saying();
    const auto messages = SecondReader(bytes).messages();
    const std::string heard = client.hear();
    const std::string wrong = disagreement(messages, answers_of(heard, messages));
    EXPECT_EQ(wrong, "") << "connection " << c << ", said:\n" << bytes << "\nheard:\n" << heard;
    failures += !wrong.empty();
    for (const ReadMessage& message : messages) {
      whole += message.kind == ReadMessage::Kind::whole;
      malformed += message.kind == ReadMessage::Kind::malformed;
    }
  }
  EXPECT_GT(whole, connections / 4);
  EXPECT_GT(malformed, connections / 4);
#ifndef __SANITIZE_ADDRESS__  // which keeps what is freed for a while
  EXPECT_LT(resident_mib() - before, 64);
#endif
  EXPECT_THAT(served.ask(infer_path, two_numbers), ::testing::StartsWith("HTTP/1.1 200"));
}

}  // namespace
}  // namespace flyball
