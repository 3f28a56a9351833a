// Whatever a command waits for, SIGTERM and SIGINT end it within two seconds; but for a program
// that may have something to save, which a second one ends.
#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include "base/clock.h"
#include "device/measuring.h"
#include "live_testing.h"
#include "load_server_testing.h"
#include "schema_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using Words = std::vector<std::string>;

class SignalTest : public CommandTest {
 protected:
  static Words deaf(const std::string& begun) {
    return {"--", "sh", "-c", "trap '' TERM INT; : >\"$0\"; sleep 60 & wait; sleep 60", begun};
  }
  /// A command that waits for a program that takes no signal.
  void expect_ends_with_its_program(const Words& words) {
    for (const int signal : {SIGTERM, SIGINT}) {
      const std::string begun = (folder_ / "begun").string();
      Words all = words;
      const Words program = deaf(begun);
      all.insert(all.end(), program.begin(), program.end());
      const pid_t child = start(all);
      ASSERT_TRUE(within_seconds_of_now(60, [&] { return fs::exists(begun); }));
      ::kill(child, signal);
      ::usleep(300'000);
      ASSERT_EQ(::waitpid(child, nullptr, WNOHANG), 0) << "the program has time to save";
      expect_ends(child, signal, 128 + SIGKILL);
      fs::remove(begun);
    }
  }
};

TEST_F(SignalTest, EndsTheWaitForAProgramThatTakesNone) {
  expect_ends_with_its_program({"measure"});
  expect_ends_with_its_program({"profile"});
  expect_ends_with_its_program({"mode", "hold", "cpu_cores=1"});
}

TEST_F(SignalTest, EndsATrialOfAProgramThatTakesNone) {
  expect_ends_with_its_program({"tune", "--axis", "cpu_cores=1"});
}

TEST_F(SignalTest, EndsTheWaitForTheMachine) {
  const std::string begun = (folder_ / "begun").string();
  const pid_t measures = start({"profile", "--", "sh", "-c", ": >\"$0\"; exec sleep 60", begun});
  ASSERT_TRUE(within_seconds_of_now(60, [&] { return fs::exists(begun); }));
  for (const int signal : {SIGTERM, SIGINT}) {
    const pid_t waits = start({"profile", "--wait", "--", "true"});
    ASSERT_TRUE(within_seconds_of_now(
        60, [&] { return slurp(told(waits, "err")).find("waiting for") != std::string::npos; }));
    EXPECT_EQ(expect_ends(waits, signal).exit_code, 128 + signal);
  }
  expect_ends(measures, SIGTERM);
}

TEST_F(SignalTest, EndsTheWaitForAStudysProgram) {
  // Its standard input is the test's own, which stays open.
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  const int before = ::dup(STDIN_FILENO);
  ::dup2(ends[0], STDIN_FILENO);
  const pid_t child = start({"study", "--no-store"});
  ::dup2(before, STDIN_FILENO);
  const std::string messages =
      "{\"do\": \"create\", \"axes\": {\"batch_size\": [8, 16, 32]}}\n{\"do\": \"ask\"}\n";
  ASSERT_EQ(::write(ends[1], messages.data(), messages.size()),
            static_cast<ssize_t>(messages.size()));
  EXPECT_TRUE(within_seconds_of_now(
      60, [&] { return slurp(told(child, "out")).find("\"trial\"") != std::string::npos; }));
  expect_ends(child, SIGTERM);
  for (const int file : {ends[0], ends[1], before}) ::close(file);
}

/// A server that takes connections, and answers so many of them.
class SilentServer {
 public:
  SilentServer() : socket_(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = ::htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof address;
    EXPECT_EQ(::bind(socket_, reinterpret_cast<sockaddr*>(&address), size), 0);
    EXPECT_EQ(::listen(socket_, 64), 0);
    ::getsockname(socket_, reinterpret_cast<sockaddr*>(&address), &size);
    url_ = "http://127.0.0.1:" + std::to_string(::ntohs(address.sin_port)) + "/";
  }
  SilentServer(const SilentServer&) = delete;
  SilentServer& operator=(const SilentServer&) = delete;
  ~SilentServer() {
    for (const int one : taken_) ::close(one);
    ::close(socket_);
  }

  const std::string& url() const { return url_; }
  /// Within a minute.
  int take() {
    pollfd waits{socket_, POLLIN, 0};
    EXPECT_EQ(::poll(&waits, 1, 60'000), 1);
    taken_.push_back(::accept4(socket_, nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
    EXPECT_GE(taken_.back(), 0);
    return taken_.back();
  }
  /// The first that asks something; who only looks whether somebody listens is let go.
  void take_and_answer() {
    std::string asked;
    while (asked.empty() && !testing::Test::HasFailure()) {
      const int one = take();
      ssize_t got = -1;
      char bytes[4096];
      EXPECT_TRUE(within_seconds_of_now(
          60, [&] { return (got = ::read(one, bytes, sizeof bytes)) >= 0 || errno != EAGAIN; }));
      if (got <= 0) continue;
      asked.assign(bytes, static_cast<size_t>(got));
      const std::string answer = "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n";
      EXPECT_EQ(::write(one, answer.data(), answer.size()), static_cast<ssize_t>(answer.size()));
    }
    EXPECT_TRUE(asked.ends_with("\r\n\r\n")) << asked;
  }

 private:
  int socket_;
  std::vector<int> taken_;
  std::string url_;
};

// It asks once before it begins; then it is under way.
TEST_F(SignalTest, EndsTheLoadOfAServerThatAnswersNothing) {
  for (const bool begins : {false, true})
    for (const int signal : {SIGTERM, SIGINT}) {
      SilentServer server;
      const pid_t child =
          start({"loadtest", server.url(), "--method", "GET", "--rate", "5", "--no-power"});
      if (begins) server.take_and_answer();
      server.take();
      ::usleep(300'000);
      const Finished ended = expect_ends(child, signal);
      EXPECT_EQ(ended.err.find("%] load") != std::string::npos, begins) << ended.err;
    }
}

// What was answered by then is told.
TEST_F(SignalTest, ALoadThatIsStoppedTellsWhatItHad) {
  const LoadServer server({"--delay", "0.01"});
  const pid_t child = start({"loadtest", server.url("/v2/models/timed"), "--rate", "40",
                             "--duration", "60s", "--warm-up", "0s", "--no-power", "--json"});
  EXPECT_TRUE(within_seconds_of_now(
      60, [&] { return slurp(told(child, "err")).find("%] load") != std::string::npos; }));
  ::usleep(1'500'000);
  const Finished ended = expect_ends(child, SIGINT);
  EXPECT_EQ(ended.exit_code, 130);
  const nlohmann::json document = ended.json();
  EXPECT_THAT(schema_faults("loadtest", document), IsEmpty());
  EXPECT_GT(document["requests"]["answered"], 0);
  EXPECT_EQ(document["requests"]["failed"], 0);
  EXPECT_LT(document["duration_s"], 30);
  EXPECT_THAT(document["warnings"].dump(), HasSubstr("stopped early"));
}

TEST_F(SignalTest, EndsTheWaitForAStoreFarAway) {
  const fs::path ssh = folder_ / "bin/ssh", begun = folder_ / "begun";
  fs::create_directories(ssh.parent_path());
  std::ofstream(ssh) << "#!/bin/sh\ntrap '' TERM INT\n: >" << begun << "\nsleep 60\n";
  fs::permissions(ssh, fs::perms::owner_all);
  environment_["PATH"] = ssh.parent_path().string() + ":/usr/bin:/bin";
  for (const int signal : {SIGTERM, SIGINT}) {
    const pid_t child =
        start({"collect", "--into", (folder_ / "fleet.db").string(), "orin-1:/far.db"});
    EXPECT_TRUE(within_seconds_of_now(60, [&] { return fs::exists(begun); }));
    expect_ends(child, signal);
    fs::remove(begun);
  }
}

// What runs until it is told to end says so by its exit code, or ends as if its time were over.
TEST_F(SignalTest, EndsWhatServesAndWatches) {
  const std::string socket = (folder_ / "broker.sock").string();
  // Only where it is meant does it listen to everybody without a token.
  const std::vector<std::pair<Words, std::string>> all = {
      {{"metrics-server", "--listen", "0.0.0.0:0", "--insecure"}, "listening on http://0.0.0.0:"},
      {{"broker", "--socket", socket, "--no-store"}, socket},
      {{"monitor", "--json"}, "\"power_w\""},
      {{"record", "--out"}, ""},  // these begin to write
      {{"dataset", "make", "images", "--out"}, ""}};
  for (const int signal : {SIGTERM, SIGINT})
    for (const auto& [asked, sign] : all) {
      Words words = asked;
      const fs::path place = folder_ / "out" / (words[0] + std::to_string(signal));
      if (words.back() == "--out") {
        fs::create_directories(place.parent_path());
        words.push_back(place.string());
      }
      const pid_t child = start(words);
      EXPECT_TRUE(within_seconds_of_now(
          60,
          [&, sign = sign] {
            if (sign.empty()) return !fs::is_empty(place.parent_path());
            return (slurp(told(child, "err")) + slurp(told(child, "out"))).find(sign) !=
                   std::string::npos;
          }))
          << words[0] << slurp(told(child, "err"));
      ::usleep(300'000);
      const Stopwatch watch;
      ::kill(child, signal);
      const Finished done = finish(child);
      EXPECT_LT(watch.seconds(), most_seconds_to_end) << words[0] << done.err;
      fs::remove_all(folder_ / "out");
      EXPECT_TRUE(done.exit_code == 0 || done.exit_code == 128 + signal)
          << words[0] << ' ' << done.exit_code << done.err;
    }
}

TEST_F(LiveTest, ASignalEndsAMinibatchThatTakesLong) {
  const std::string pictures = (folder_ / "coco").string();
  ASSERT_EQ(run({"dataset", "make", "coco", "--samples", "8", "--out", pictures}).exit_code, 0);
  const pid_t child =
      start({"profile", "yolo_v8n", "--data", pictures, "--batch-size", "8", "--epochs", "50"});
  EXPECT_TRUE(within_seconds_of_now(60, [] { return !others_measuring().empty(); }));
  ::usleep(1'500'000);
  EXPECT_EQ(expect_ends(child, SIGTERM).exit_code, 128 + SIGTERM);
  EXPECT_TRUE(others_measuring().empty()) << "the machine is free";
}

}  // namespace
}  // namespace flyball::testing_tools
