// flyball serve over HTTP: as a client meets it.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <thread>

#include "base/clock.h"
#include "base/json.h"
#include "live_testing.h"
#include "schema_testing.h"
#include "server/http_client_testing.h"

namespace flyball::testing_tools {
namespace {

class ServeHttpTest : public LiveTest {
 protected:
  /// Starts it and waits until it listens; 0: it does not.
  uint16_t serve(std::vector<std::string> arguments, bool json = true) {
    arguments.insert(arguments.begin(), "serve");
    for (const char* more : {"--listen", "127.0.0.1:0", "--force", "-q"})
      arguments.emplace_back(more);
    if (json) arguments.emplace_back("--json");
    served_ = start(arguments);
    for (int i = 0; i < 600; ++i) {
      const std::string said = slurp(told(served_, "err"));
      const size_t at = said.find("listening on http://127.0.0.1:");
      if (at != std::string::npos && said.find('\n', at) != std::string::npos)
        return static_cast<uint16_t>(std::stoi(said.substr(at + 30)));
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    return 0;
  }
  void wait_until_ready(uint16_t port) {
    for (int i = 0; i < 600; ++i) {
      if (ask(port, "GET /v2/health/ready").starts_with("HTTP/1.1 200")) return;
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    }
    FAIL() << "it never was ready: " << slurp(told(served_, "err"));
  }
  static std::string ask(uint16_t port, const std::string& first, const std::string& body = "",
                         const std::string& headers = "") {
    return http_exchange(port, request_text(first, body, headers));
  }
  static std::string body_of(const std::string& response) {
    return response.substr(response.find("\r\n\r\n") + 4);
  }
  /// A figure of /metrics, by its whole name.
  static uint64_t metric(uint16_t port, const std::string& name) {
    const std::string text = ask(port, "GET /metrics");
    const size_t at = text.find("\n" + name + " ");
    return at == std::string::npos ? 0 : std::stoull(text.substr(at + name.size() + 2));
  }
  Finished stop() {
    ::kill(served_, SIGTERM);
    return finish(served_);
  }
  pid_t served_ = 0;
};

TEST_F(ServeHttpTest, LeNetAnswersInBothFormsAndTrainsInTheGaps) {
  const uint16_t port = serve({"--infer", "lenet5", "--train", "lenet5", "--data", data_,
                               "--latency", "5s", "--no-checkpoint"});
  ASSERT_NE(port, 0) << slurp(told(served_, "err"));
  wait_until_ready(port);
  const SortedJson model = SortedJson::parse(body_of(ask(port, "GET /v2/models/lenet5")));
  ASSERT_EQ(model["inputs"][0]["shape"], (SortedJson{-1, 1, 28, 28}));
  std::vector<float> image(28 * 28);
  for (size_t i = 0; i < image.size(); ++i) image[i] = static_cast<float>(i % 7) / 8;
  SortedJson input = {{"name", model["inputs"][0]["name"]},
                      {"shape", {1, 1, 28, 28}},
                      {"datatype", "FP32"},
                      {"data", image}};
  const std::string path = "POST /v2/models/lenet5/infer";
  const SortedJson flat = SortedJson::parse(
      body_of(ask(port, path, SortedJson{{"id", "1"}, {"inputs", {input}}}.dump())));
  EXPECT_EQ(flat["id"], "1");
  const auto& data = flat["outputs"][0]["data"];
  ASSERT_EQ(data.size(), 10u) << flat;

  input.erase("data");
  input["parameters"] = {{"binary_data_size", image.size() * sizeof(float)}};
  const std::string header =
      SortedJson{{"inputs", {input}}, {"parameters", {{"binary_data_output", true}}}}.dump();
  const std::string bytes(reinterpret_cast<const char*>(image.data()),
                          image.size() * sizeof(float));
  const std::string answer =
      ask(port, path, header + bytes,
          "Inference-Header-Content-Length: " + std::to_string(header.size()) + "\r\n");
  const std::string name = "Inference-Header-Content-Length: ";
  ASSERT_NE(answer.find(name), std::string::npos) << answer;
  const size_t length = std::stoul(answer.substr(answer.find(name) + name.size()));
  const std::string binary = body_of(answer).substr(length);
  ASSERT_EQ(binary.size(), 10 * sizeof(float));
  for (size_t i = 0; i < 10; ++i) {
    float value = 0;
    std::memcpy(&value, binary.data() + i * sizeof value, sizeof value);
    EXPECT_EQ(value, data[i].get<float>()) << "the same bits in both forms";
  }
  EXPECT_TRUE(ask(port, path, "{").starts_with("HTTP/1.1 400"));
  const std::string metrics = ask(port, "GET /metrics");
  const auto requests = [&](const std::string& outcome) {
    const std::string counter =
        "flyball_requests_total{model=\"lenet5\",outcome=\"" + outcome + "\"} ";
    const size_t at = metrics.find(counter);
    return at == std::string::npos ? -1000 : std::stoi(metrics.substr(at + counter.size()));
  };
  EXPECT_EQ(requests("in_time") + requests("late"), 2) << metrics;
  EXPECT_NE(ask(port, "GET /").find("<title>Flyball live"), std::string::npos);

  const Finished done = stop();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.json()["services"][0]["requests"]["answered"], 2);
  EXPECT_GT(done.json()["training"][0]["minibatches"], 0);
}

/// Every event of a stream that has ended.
std::vector<SortedJson> events_of(const std::string& stream) {
  std::vector<SortedJson> events;
  for (size_t at = 0; (at = stream.find("data: ", at)) != std::string::npos; ++at)
    events.push_back(SortedJson::parse(stream.substr(at + 6, stream.find("\n\n", at) - at - 6)));
  return events;
}

// The page's types are made from this schema.
TEST_F(ServeHttpTest, EveryEventOfTheLivePageKeepsToItsSchema) {
  const uint16_t port = serve({"--infer", "lenet5", "--train", "lenet5", "--data", data_,
                               "--latency", "5s", "--no-checkpoint", "--arrivals", "poisson:20"});
  ASSERT_NE(port, 0) << slurp(told(served_, "err"));
  wait_until_ready(port);
  HttpTestClient listener(port);
  listener.say("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  std::this_thread::sleep_for(std::chrono::milliseconds(2500));
  const Finished done = stop();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  const std::vector<SortedJson> events = events_of(listener.hear());
  ASSERT_GE(events.size(), 3u);
  for (const SortedJson& event : events)
    EXPECT_THAT(schema_faults("live", event), ::testing::IsEmpty()) << event;
  const SortedJson &begun = events.front(), &ended = events.back();
  EXPECT_TRUE(begun["services"][0]["p50_ms"].is_null()) << "nobody was answered yet: " << begun;
  EXPECT_GT(ended["services"][0]["largest_batch"], 0);
  EXPECT_EQ(ended["trainings"][0]["name"], "lenet5");
  EXPECT_GT(ended["services"][0]["answered"], 0);
  EXPECT_TRUE(ended["draining"]);
  SortedJson unknown = ended, missing = ended;
  unknown["watts"] = 1;
  missing["services"][0].erase("late");
  for (const SortedJson& wrong : {unknown, missing})
    EXPECT_THAT(schema_faults("live", wrong), ::testing::Not(::testing::IsEmpty()));
}

class TokenTest : public ServeHttpTest {
 protected:
  /// Serves, and is asked with every word; only the token opens what is not of its health.
  Finished expect_opened_by(const std::string& token, std::vector<std::string> more = {}) {
    more.insert(more.begin(), {"--infer", "identity", "--latency", "1s"});
    const uint16_t port = serve(more);
    EXPECT_NE(port, 0) << slurp(told(served_, "err"));
    if (port == 0) return {};
    wait_until_ready(port);
    const std::string body =
        R"({"inputs":[{"name":"input","shape":[1,2],"datatype":"FP32","data":[1.5,-2]}]})";
    const std::string path = "POST /v2/models/identity/infer";
    EXPECT_TRUE(ask(port, path, body).starts_with("HTTP/1.1 401"));
    EXPECT_TRUE(ask(port, "GET /metrics").starts_with("HTTP/1.1 401"));
    EXPECT_TRUE(ask(port, "GET /v2/health/live").starts_with("HTTP/1.1 200"));
    for (const std::string& word : {of_file, of_environment, token.substr(0, token.size() - 1)}) {
      const std::string answer = ask(port, path, body, "Authorization: Bearer " + word + "\r\n");
      EXPECT_EQ(answer.starts_with("HTTP/1.1 401"), word != token) << word;
      EXPECT_EQ(answer.find("\"data\":[1.5,-2]") != std::string::npos, word == token) << answer;
    }
    return stop();
  }
  const std::string of_file = "s3cret-of-a-file", of_environment = "s3cret-of-the-environment";
};

TEST_F(TokenTest, OfAFileIsAskedFor) {
  const std::string file = write("token", of_file + "\n").string();
  EXPECT_EQ(expect_opened_by(of_file, {"--token-file", file}).exit_code, 0);
}

TEST_F(TokenTest, OfAFileCountsBeforeThatOfTheEnvironment) {
  environment_["FLYBALL_TOKEN"] = of_environment;
  const std::string file = write("token", of_file + "\n").string();
  EXPECT_EQ(expect_opened_by(of_file, {"--token-file", file}).exit_code, 0);
}

TEST_F(TokenTest, OfTheEnvironmentIsAskedForAndToldToNobody) {
  environment_["FLYBALL_TOKEN"] = of_environment;
  const std::string page = (folder_ / "page.html").string();
  const Finished done = expect_opened_by(of_environment, {"--report", page});
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_FALSE(done.out.empty());
  ASSERT_TRUE(fs::exists(page));
  for (const std::string& text : {done.out, done.err})
    EXPECT_EQ(text.find(of_environment), std::string::npos) << text;
  size_t looked_at = 0;
  for (const auto& file : fs::recursive_directory_iterator(folder_)) {
    if (!file.is_regular_file()) continue;
    EXPECT_EQ(slurp(file.path()).find(of_environment), std::string::npos) << file.path();
    looked_at += file.path() == page || file.path().filename() == "store.db";
  }
  EXPECT_EQ(looked_at, 2u) << "the page and the store";
}

/// Clients that ask one request after the other until nobody is there any more.
class Clients {
 public:
  Clients(uint16_t port, const std::string& request, int count) {
    for (int i = 0; i < count; ++i)
      threads_.emplace_back([this, port, request] {
        while (true) {
          const std::string answer = http_exchange(port, request);
          if (answer.empty()) return;
          ++(answer.starts_with("HTTP/1.1 200") ? answered_ : refused_);
          if (answer.starts_with("HTTP/1.1 503"))
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
        }
      });
  }
  ~Clients() { join(); }
  Clients(const Clients&) = delete;
  Clients& operator=(const Clients&) = delete;
  void join() {
    for (std::thread& thread : threads_)
      if (thread.joinable()) thread.join();
  }
  size_t answered() const { return answered_; }
  size_t refused() const { return refused_; }

 private:
  std::atomic<size_t> answered_ = 0, refused_ = 0;
  std::vector<std::thread> threads_;
};

class DrainTest : public ServeHttpTest {
 protected:
  /// SIGTERM while four clients keep asking and wait for their answers, which come late in the
  /// budget, since there is a training. Returns how many answers they had.
  size_t drain_with_requests_in_flight(bool json) {
    const uint16_t port = serve({"--infer", "lenet5", "--train", "lenet5", "--data", data_,
                                 "--latency", "2s", "--no-checkpoint"},
                                json);
    EXPECT_NE(port, 0) << slurp(told(served_, "err"));
    if (port == 0) return 0;
    wait_until_ready(port);
    const SortedJson input = {
        {"name",
         SortedJson::parse(body_of(ask(port, "GET /v2/models/lenet5")))["inputs"][0]["name"]},
        {"shape", {1, 1, 28, 28}},
        {"datatype", "FP32"},
        {"data", std::vector<int>(28 * 28)}};
    Clients clients(
        port, request_text("POST /v2/models/lenet5/infer", SortedJson{{"inputs", {input}}}.dump()),
        4);
    while (clients.answered() < 8) std::this_thread::sleep_for(std::chrono::milliseconds(10));
    for (int i = 0; i < 1000; ++i)
      if (metric(port, "flyball_queue_requests{model=\"lenet5\"}") == 4) break;
    const size_t before = clients.answered();
    done_ = stop();
    clients.join();
    EXPECT_GT(clients.answered(), before) << "requests were in flight";
    return clients.answered();
  }
  Finished done_;
};

TEST_F(DrainTest, AnswersEveryRequestThatWasAccepted) {
  const size_t answered = drain_with_requests_in_flight(true);
  ASSERT_EQ(done_.exit_code, 0) << done_.err;
  const SortedJson requests = done_.json()["services"][0]["requests"];
  EXPECT_EQ(requests["answered"], answered);
  EXPECT_EQ(requests["arrived"].get<size_t>(), answered + requests["refused"].get<size_t>());
  EXPECT_EQ(done_.err.find("did not take their answers"), std::string::npos) << done_.err;
}

TEST_F(DrainTest, PrintsWhatCameOfIt) {
  const size_t answered = drain_with_requests_in_flight(false);
  ASSERT_EQ(done_.exit_code, 0) << done_.err;
  EXPECT_NE(done_.out.find(", " + std::to_string(answered) + " answered, "), std::string::npos)
      << done_.out;
  EXPECT_NE(done_.out.find("training minibatches in the gaps"), std::string::npos) << done_.out;
}

// kill -9, and the same command goes on: nothing older than the last checkpoint is lost.
// (LiveServing.NoMinibatchBeginsLaterThanTheIntervalAfterACheckpoint: they come at their interval.)
TEST_F(ServeHttpTest, KilledItGoesOnFromItsLastCheckpoint) {
  const fs::path kept = folder_ / "kept";
  const std::vector<std::string> command = {"--infer",
                                            "lenet5",
                                            "--train",
                                            "lenet5",
                                            "--data",
                                            data_,
                                            "--checkpoint",
                                            kept.string(),
                                            "--latency",
                                            "5s",
                                            "--checkpoint-every",
                                            "1s"};
  const auto version = [&] {
    struct stat file {};
    return ::stat((kept / "lenet5.ckpt").c_str(), &file) != 0
               ? std::pair<uint64_t, int64_t>()
               : std::pair<uint64_t, int64_t>(
                     file.st_ino, file.st_mtim.tv_sec * 1'000'000'000 + file.st_mtim.tv_nsec);
  };
  const auto wait_for_another = [&](const std::pair<uint64_t, int64_t>& old) {
    for (int i = 0; i < 6000 && version() == old; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    return version();
  };
  uint64_t surely_kept = 0;
  for (int kill = 0; kill < 2; ++kill) {
    const uint16_t port = serve(command);
    ASSERT_NE(port, 0) << slurp(told(served_, "err"));
    wait_until_ready(port);
    wait_for_another(version());
    // A checkpoint that begins after the next one has ended holds all that is trained by now.
    const uint64_t trained = metric(port, "flyball_training_minibatches_total{model=\"lenet5\"}");
    EXPECT_GT(trained, 0u);
    surely_kept += trained;
    const auto next = wait_for_another(version());
    wait_for_another(next);
    ::kill(served_, SIGKILL);
    EXPECT_EQ(finish(served_).exit_code, 128 + SIGKILL);
  }
  const uint16_t port = serve(command);
  ASSERT_NE(port, 0) << slurp(told(served_, "err"));
  wait_until_ready(port);
  const Finished done = stop();
  ASSERT_EQ(done.exit_code, 0) << done.err;
  ASSERT_FALSE(done.json()["notes"].empty());
  const std::string note = done.json()["notes"][0];
  unsigned long epoch = 0, minibatch = 0;
  ASSERT_EQ(
      std::sscanf(note.c_str(), "lenet5 goes on at epoch %lu, minibatch %lu", &epoch, &minibatch),
      2)
      << note;
  constexpr uint64_t minibatches_of_an_epoch = 600 / 16;
  EXPECT_GE(epoch * minibatches_of_an_epoch + minibatch, surely_kept);
}

// A client that says half a request, one that says nothing, one that reads no answer, one that
// listens and does not hear: none of them holds up the end.
TEST_F(ServeHttpTest, NoClientHoldsUpTheEnd) {
  const uint16_t port = serve({"--infer", "identity", "--latency", "1s"});
  ASSERT_NE(port, 0) << slurp(told(served_, "err"));
  wait_until_ready(port);
  HttpTestClient half(port), silent(port), deaf(port), listener(port);
  half.say(
      "POST /v2/models/identity/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
      "1000\r\n\r\n{");
  listener.say("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  for (int i = 0; i < 2000; ++i)
    if (!deaf.say("GET / HTTP/1.1\r\nHost: localhost\r\n\r\n")) break;
  ::usleep(300'000);
  const Stopwatch watch;
  const Finished done = stop();
  EXPECT_LT(watch.seconds(), 3) << done.err;  // two, and what a busy machine adds
  EXPECT_EQ(done.exit_code, 0) << done.err;
}

TEST_F(ServeHttpTest, BodiesTakeTheMemoryThatTheyAreGiven) {
  const uint16_t port = serve({"--infer", "identity", "--latency", "5s", "--body-memory", "1MiB"});
  ASSERT_NE(port, 0) << slurp(told(served_, "err"));
  wait_until_ready(port);
  const std::string path = "POST /v2/models/identity/infer";
  EXPECT_TRUE(
      ask(port, path, std::string((1 << 20) + (64 << 10) + 1, ' ')).starts_with("HTTP/1.1 413"));
  EXPECT_TRUE(ask(port, path, std::string(1 << 20, ' ')).starts_with("HTTP/1.1 400"));
  EXPECT_EQ(stop().exit_code, 0);
}

}  // namespace
}  // namespace flyball::testing_tools
