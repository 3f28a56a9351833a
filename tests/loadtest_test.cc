// flyball loadtest against a server whose service times and failures are known.
#include <gmock/gmock.h>

#include "command_testing.h"
#include "load_server_testing.h"
#include "schema_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class LoadTestTest : public CommandTest {
 protected:
  nlohmann::json load(const LoadServer& server, const std::string& path,
                      const std::vector<std::string>& more = {}) {
    std::vector<std::string> all = {"loadtest",  server.url(path), "--json",
                                    "-q",        "--duration",     "1.5s",
                                    "--warm-up", "200ms",          "--no-power"};
    all.insert(all.end(), more.begin(), more.end());
    const Finished finished = run(all);
    EXPECT_LE(finished.exit_code, 1) << finished.err;
    const nlohmann::json document = finished.json();
    EXPECT_THAT(schema_faults("loadtest", document), IsEmpty());
    return document;
  }
  /// The only kind of failure.
  static std::string failure(const nlohmann::json& document) {
    const auto& failures = document["requests"]["failures"];
    return failures.size() == 1 ? failures[0]["kind"].get<std::string>() : failures.dump();
  }
};

TEST_F(LoadTestTest, MeasuresModelsOfTheOpenInferenceProtocol) {
  const LoadServer server({"--delay", "0.01"});
  const auto answer = load(server, "/v2/models/timed", {"--rate", "30", "--latency", "2s"});
  EXPECT_EQ(answer["protocol"], "oip");
  EXPECT_THAT(answer["input"].get<std::string>(),
              HasSubstr("image FP32 [1, 4]; mask INT64 [1, 2]"));
  EXPECT_GT(answer["requests"]["answered"], 10);
  EXPECT_EQ(answer["requests"]["failed"], 0);
  EXPECT_GE(answer["latency_ms"]["p50"]["value"], 10);
  EXPECT_EQ(answer["power"]["gap"], "--no-power");
  EXPECT_TRUE(answer["first_token_ms"].is_null());
}

TEST_F(LoadTestTest, TimesTokensOfStreams) {
  const LoadServer server({"--delay", "0.02", "--token-delay", "0.01", "--tokens", "5"});
  for (const char* path : {"/v1/chat/completions", "/v1/completions"}) {
    const auto answer = load(server, path, {"--arrivals", "constant:10"});
    ASSERT_GT(answer["requests"]["answered"], 5) << answer.dump();
    EXPECT_EQ(answer["model"], "timed");
    EXPECT_EQ(answer["tokens"]["counted_by"], "usage");
    EXPECT_EQ(answer["tokens"]["count"], answer["requests"]["answered"].get<double>() * 5);
    EXPECT_GE(answer["first_token_ms"]["p50"]["value"], 20);
    EXPECT_GE(answer["token_ms"]["p50"]["value"], 9.5);
    EXPECT_GE(answer["latency_ms"]["p50"]["value"], 58);
  }
}

TEST_F(LoadTestTest, CountsChunksWhereThereIsNoUsageAndSkipsEmptyOnes) {
  const LoadServer silent({"--fail", "nousage", "--tokens", "4"});
  const auto chunks = load(silent, "/v1/chat/completions", {"--rate", "20"});
  EXPECT_EQ(chunks["tokens"]["counted_by"], "chunks");
  EXPECT_EQ(chunks["tokens"]["count"], chunks["requests"]["answered"].get<double>() * 4);
  const LoadServer empty({"--fail", "empty", "--empty-delay", "0.05", "--delay", "0.001"});
  const auto first = load(empty, "/v1/chat/completions", {"--arrivals", "constant:5"});
  EXPECT_GE(first["first_token_ms"]["p50"]["value"], 150);  // three empty chunks
  const auto whole = load(empty, "/v1/chat/completions", {"--rate", "20", "--no-stream"});
  EXPECT_TRUE(whole["first_token_ms"].is_null());
  EXPECT_EQ(whole["tokens"]["counted_by"], "usage");
}

TEST_F(LoadTestTest, SendsFilesOverPlainHttp) {
  const LoadServer server;
  const std::string body = write("body.txt", "hello").string();
  EXPECT_EQ(load(server, "/plain", {"--rate", "30", "--body", body})["input"], "a body of 5 bytes");
  EXPECT_EQ(load(server, "/plain", {"--rate", "30"})["requests"]["failed"], 0);
}

TEST_F(LoadTestTest, NamesFailuresByTheirKind) {
  const struct {
    const char *fail, *path, *kind;
  } cases[] = {{"busy", "/plain", "refused"},
               {"status", "/plain", "http_error"},
               {"garbage", "/v2/models/timed", "malformed"},
               {"hangup", "/plain", "disconnected"},
               {"cut", "/plain", "cut"},
               {"stall", "/plain", "timed_out"},
               {"cut", "/v1/chat/completions", "cut"},
               {"garbage", "/v1/chat/completions", "malformed"},
               {"huge", "/v1/chat/completions", "malformed"}};
  for (const auto& one : cases) {
    const LoadServer server({"--fail", one.fail, "--good", "1", "--delay", "0.001"});
    const auto answer =
        load(server, one.path,
             {"--rate", "5", "--timeout", one.kind == std::string("timed_out") ? "700ms" : "30s"});
    EXPECT_EQ(failure(answer), one.kind) << one.fail << " " << one.path;
    EXPECT_TRUE(answer["requests"]["failures"][0]["example"].is_string());
  }
}

// A server that read a request and hung up had it: it is not asked again.
TEST_F(LoadTestTest, AskNothingTwice) {
  const LoadServer server({"--fail", "hangup", "--every", "5", "--delay", "0.001"});
  const std::string body = write("body.txt", "hello").string();
  const auto answer = load(server, "/plain", {"--rate", "40", "--body", body});
  EXPECT_EQ(failure(answer), "disconnected");
  const double due = answer["requests"]["due"], failed = answer["requests"]["failed"];
  EXPECT_NEAR(failed / due, 0.2, 0.04);
}

// Twice what the server can do: its latency is that of the queue, not that of the last answer.
TEST_F(LoadTestTest, CountsTheQueueOfAnOverloadedServer) {
  const LoadServer server({"--delay", "0.02"});
  const auto answer = load(
      server, "/plain", {"--arrivals", "constant:100", "--latency", "100ms", "--connections", "4"});
  EXPECT_GT(answer["latency_ms"]["p90"]["value"], 500);
  EXPECT_GT(answer["client"]["waited_for_connection"], 50);
  EXPECT_THAT(answer["warnings"].dump(), HasSubstr("--connections"));
  EXPECT_LT(answer["requests"]["in_time_pct"], 50);
}

TEST_F(LoadTestTest, TakesTheKeyFromTheEnvironment) {
  const LoadServer server({"--key", "s3cret"});
  const std::vector<std::string> command = {
      "loadtest",  server.url("/v1/completions"), "--rate", "30", "--duration", "300ms", "-q",
      "--no-power"};
  const Finished refused = run(command);
  EXPECT_EQ(refused.exit_code, 2);
  EXPECT_THAT(refused.err, HasSubstr("--key-from"));
  environment_["LOADTEST_KEY"] = "s3cret";
  auto with_key = command;
  with_key.insert(with_key.end(), {"--key-from", "LOADTEST_KEY"});
  const Finished finished = run(with_key);
  EXPECT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_EQ((finished.out + finished.err).find("s3cret"), std::string::npos);
}

TEST_F(LoadTestTest, RefusesWhatCannotBeLoaded) {
  const LoadServer server;
  const struct {
    std::vector<std::string> arguments;
    const char* hint;
  } cases[] = {{{server.url("/plain")}, "--rate 30"},
               {{server.url("/plain"), "--arrivals", "http"}, "--rate 30"},
               {{server.url("/v2"), "--rate", "1"}, "--model"},
               {{server.url("/v2/models/other"), "--rate", "1"}, "curl"},
               {{server.url("/nowhere"), "--rate", "1"}, "curl"},
               {{"http://127.0.0.1:1/", "--rate", "1"}, "listening"},
               {{"https://127.0.0.1/", "--rate", "1"}, "proxy"},
               {{server.url("/plain"), "--rate", "1", "--model", "m"}, "--protocol oip"},
               {{server.url("/plain"), "--rate", "1", "--key-from", "NO_SUCH_KEY"}, "export"}};
  for (const auto& one : cases) {
    std::vector<std::string> all = {"loadtest", "-q", "--duration", "200ms"};
    all.insert(all.end(), one.arguments.begin(), one.arguments.end());
    const Finished finished = run(all);
    EXPECT_EQ(finished.exit_code, 2) << one.hint;
    EXPECT_THAT(finished.err, HasSubstr("HINT")) << one.hint;
    EXPECT_THAT(finished.err, HasSubstr(one.hint));
  }
}

}  // namespace
}  // namespace flyball::testing_tools
