// flyball tune --server: a server of known service times is started, loaded and chosen.
#include <gmock/gmock.h>

#include <algorithm>
#include <sstream>

#include "command_testing.h"
#include "load_server_testing.h"
#include "schema_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;

class TuneServerTest : public CommandTest {
 protected:
  std::vector<std::string> tune(const std::string& server, const std::vector<std::string>& more,
                                const std::string& arrivals = "poisson:20",
                                const std::string& trial_time = "1s") {
    const std::string command = std::string("python3 ") + load_server + " --port {port} " + server;
    std::vector<std::string> all = {
        "tune",       "--server", command,        "--device", "host",   "--axis",  "cpu_cores=1",
        "--arrivals", arrivals,   "--trial-time", trial_time, "--json", "--force", "-q"};
    all.insert(all.end(), more.begin(), more.end());
    return all;
  }
  /// Lines of the file of --starts: process and arguments of each start.
  std::vector<std::string> starts() const {
    std::istringstream text(slurp(folder_ / "starts"));
    std::vector<std::string> lines;
    for (std::string line; std::getline(text, line);) lines.push_back(line);
    return lines;
  }
  void expect_all_ended() const {
    for (const std::string& line : starts())
      EXPECT_NE(::kill(std::stoi(line), 0), 0) << "still runs: " << line;
  }
  std::string starts_file() const { return " --starts " + (folder_ / "starts").string(); }
};

TEST_F(TuneServerTest, FindsTheFastestServerAndEndsAll) {
  const std::string page = (folder_ / "page.html").string();
  const Finished finished = run(
      tune("--delay {delay}" + starts_file(),
           {"--axis", "delay=0.3,0.2,0.01", "--url", "http://127.0.0.1:{port}/v1/chat/completions",
            "--objective", "ttft", "--strategy", "brute-force", "--report", page},
           "poisson:2", "2s"));
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  const auto answer = finished.json();
  EXPECT_THAT(schema_faults("tune", answer), IsEmpty());
  EXPECT_EQ(answer["choice"]["config"]["delay"], 0.01);
  EXPECT_THAT(answer["asked"].get<std::string>(), HasSubstr("objective ttft, failed"));
  EXPECT_EQ(answer["request"]["figure"], "ttft");
  EXPECT_EQ(answer["per"], "request");
  EXPECT_TRUE(answer["choice"]["minibatch_j"].is_null());
  const auto shown = report_data(page);
  EXPECT_THAT(schema_faults("report", shown), IsEmpty());
  EXPECT_EQ(shown["answer"]["request"]["figure"], "ttft");
  EXPECT_THAT(shown["apply"].dump(), HasSubstr("--delay 0.01"));
  EXPECT_THAT(answer["notes"].dump(),
              HasSubstr("per request, and its time is that of the objective ttft"));
  const auto& figures = answer["profiled"][0]["figures"];
  for (const char* name : {"ttft", "tpot", "latency_p50", "throughput", "failed", "tokens_per_s"})
    EXPECT_TRUE(figures.contains(name)) << name;
  EXPECT_THAT(starts(), ::testing::Not(IsEmpty()));
  expect_all_ended();
}

TEST_F(TuneServerTest, KeepsLimitsOnFiguresOfTheLoad) {
  const Finished refused = run(tune("--delay {delay}" + starts_file(),
                                    {"--axis", "delay=0.3,0.4", "--protocol", "openai-completions",
                                     "--at-most", "ttft=100ms", "--objective", "throughput"},
                                    "constant:1", "2s"));
  EXPECT_EQ(refused.exit_code, 1) << refused.err;
  EXPECT_THAT(refused.err, HasSubstr("ttft ≤ 100 ms"));
  expect_all_ended();
}

TEST_F(TuneServerTest, StartsAnewOnlyWhereTheCommandChanges) {
  auto command = tune("--delay 0.001" + starts_file(),
                      {"--protocol", "oip", "--model", "timed", "--strategy", "brute-force"});
  const Finished finished = run(command);
  ASSERT_EQ(finished.exit_code, 0) << finished.err;
  EXPECT_GE(finished.json()["trials"], 1);
  EXPECT_EQ(starts().size(), 1u);
  expect_all_ended();
}

TEST_F(TuneServerTest, TellsWhyAServerDoesNotServe) {
  const struct {
    std::string server;
    std::vector<std::string> more;
    const char* said;
  } cases[] = {{"--refuse", {"--protocol", "http"}, "no such model"},
               {"--fail busy", {"--protocol", "openai-chat"}, "busy"},
               {"--delay {dealy}", {"--protocol", "http"}, "{dealy} of --server is no axis"},
               {"", {"--protocol", "http", "--axis", "delay=1,2"}, "{delay}"},
               {"", {"--protocol", "http", "--at-most", "accuracy=0.5"}, "no figure 'accuracy'"},
               {"", {"--protocol", "oip"}, "--model"},
               {"", {"--protocol", "http", "--energy-budget", "2J"}, "request_j=3"},
               {"", {"--protocol", "http", "--time-budget", "2s"}, "latency_p99=2s"},
               {"", {"--protocol", "http", "--samples", "100"}, "--samples"},
               {"", {"--protocol", "http", "--objective", "speed"}, "energy_per_token"},
               {"", {"--protocol", "http", "--objective", "energy"}, "power"}};
  for (const auto& one : cases) {
    const Finished finished = run(tune(one.server, one.more));
    EXPECT_NE(finished.exit_code, 0) << one.said;
    EXPECT_THAT(finished.err + finished.out, HasSubstr(one.said));
  }
}

TEST_F(TuneServerTest, IsRefusedOnBoardsThatRunNothing) {
  const Finished twin =
      run({"tune", "--server", "sleep 9", "--device", "twin:orin_agx", "--arrivals", "poisson:2"});
  EXPECT_EQ(twin.exit_code, 2);
  EXPECT_THAT(twin.err, HasSubstr("HINT"));
  EXPECT_EQ(std::ranges::count(twin.err, '\n'), 2) << twin.err;
  EXPECT_THAT(run({"tune", "lenet5", "--arrivals", "poisson:2"}).err, HasSubstr("--server"));
  EXPECT_THAT(run({"tune", "--server", "sleep 9", "--device", "host"}).err, HasSubstr("--rate 30"));
}

// A server that ignores SIGTERM and has a child of its own: both end with the command.
TEST_F(TuneServerTest, EndsAServerThatIgnoresSignals) {
  const pid_t command =
      start(tune("--stubborn" + starts_file(), {"--url", "http://127.0.0.1:{port}/plain"},
                 "poisson:20", "20s"));
  for (int i = 0; i < 600 && starts().empty(); ++i) ::usleep(50'000);
  ASSERT_EQ(starts().size(), 1u);
  ::usleep(500'000);
  EXPECT_EQ(expect_ends(command, SIGTERM).exit_code, 128 + SIGTERM);
  expect_all_ended();
}

}  // namespace
}  // namespace flyball::testing_tools
