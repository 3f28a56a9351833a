// The endpoint in front of the real scheduler: what comes back is what the network gives, and what
// cannot be taken is refused.
#include <gmock/gmock.h>

#include <atomic>
#include <condition_variable>
#include <cstring>
#include <stdexcept>
#include <thread>

#include "base/json.h"
#include "base/os/temp_folder.h"
#include "base/random.h"
#include "data/makers/digits.h"
#include "module/module_testing.h"
#include "schedule/live/network_jobs.h"
#include "server/endpoint.h"
#include "server/http_client_testing.h"
#include "server/identity.h"

namespace flyball {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;
/// Serves one model over HTTP from a thread of its own until it ends.
class LiveEndpoint {
 public:
  LiveEndpoint(
      ServiceRules rules, std::unique_ptr<InferenceRunner> runner,
      const std::function<void()>& warm = [] {})
      : serving_({.warm_up_s = 0.1}) {
    serving_.add(std::move(rules), std::move(runner));
    if (!serving_.warm_up().ok()) return;
    warm();
    endpoint_ = std::make_unique<Endpoint>(serving_, nullptr);
    server_ = *HttpServer::listen({.listen = {"127.0.0.1", 0}}, endpoint_->handler());
    runs_ = std::thread([this] { ran_ = serving_.run(0); });
  }
  ~LiveEndpoint() { drain(); }
  LiveEndpoint(const LiveEndpoint&) = delete;
  LiveEndpoint& operator=(const LiveEndpoint&) = delete;

  void drain() {
    serving_.drain();
    if (runs_.joinable()) runs_.join();
    EXPECT_TRUE(!server_ || server_->drain(600));
  }
  uint16_t port() const { return server_->port(); }
  std::string ask(const std::string& body, const std::string& headers = "") const {
    const std::string path = "POST /v2/models/" + serving_.services().front().name + "/infer";
    return http_exchange(port(), request_text(path, body, headers));
  }
  LiveServing& serving() { return serving_; }

 private:
  LiveServing serving_;
  std::unique_ptr<Endpoint> endpoint_;
  std::unique_ptr<HttpServer> server_;
  Status ran_;
  std::thread runs_;
};

// ---- The network's answers, bit for bit ---------------------------------------------------------

ServiceRules long_rules(const char* name) {
  ServiceRules rules;
  rules.name = name;
  rules.latency_ns = 600'000'000'000;
  rules.largest_batch = 8;
  return rules;
}

std::string bytes_of(const std::vector<float>& values) {
  return {reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float)};
}

std::string json_answer(const LiveEndpoint& live, SortedJson input,
                        const std::vector<float>& pixels) {
  input["data"] = pixels;
  const std::string answer = live.ask(SortedJson{{"inputs", {input}}}.dump());
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  std::vector<float> scores;
  const SortedJson said = SortedJson::parse(answer.substr(answer.find("\r\n\r\n")));
  for (const SortedJson& score : said["outputs"][0]["data"]) scores.push_back(score.get<float>());
  return bytes_of(scores);
}

std::string binary_answer(const LiveEndpoint& live, SortedJson input,
                          const std::vector<float>& pixels) {
  input["parameters"] = {{"binary_data_size", pixels.size() * sizeof(float)}};
  const std::string header =
      SortedJson{{"inputs", {input}}, {"parameters", {{"binary_data_output", true}}}}.dump();
  const std::string name = "Inference-Header-Content-Length: ";
  const std::string answer =
      live.ask(header + bytes_of(pixels), name + std::to_string(header.size()) + "\r\n");
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  const size_t at = answer.find(name);
  if (at == std::string::npos) return answer;
  return answer.substr(answer.find("\r\n\r\n") + 4 + std::stoul(answer.substr(at + name.size())));
}

TEST(LiveEndpoint, AnswersEqualWhatTheNetworkGivesBitForBit) {
  FLYBALL_NEEDS_TORCH();
  const TempFolder folder;
  ASSERT_TRUE(make_digits(folder.path(), {.train = 100, .test = 20}).ok());
  NetworkService asked;
  asked.workload = "lenet5";
  auto data = open_run_data("lenet5", folder.path(), {}, {}, false);
  ASSERT_TRUE(data.ok()) << data.error().message;
  asked.data = *std::move(data);
  asked.largest_batch = 8;
  asked.seed = 3;
  StepOptions step;
  step.phase = Phase::infer;
  step.batch_size = 8;
  step.seed = 3;
  step.classes = asked.data.dataset->classes();
  step.batch = asked.data.collate->layout();
  auto network = make_stepper("lenet5", step);
  ASSERT_TRUE(network.ok()) << network.error().message;
  auto runner = make_network_service(asked);
  ASSERT_TRUE(runner.ok()) << runner.error().message;
  const LiveEndpoint live(long_rules("lenet5"), *std::move(runner));

  Random random(5);
  const std::string input = (*network)->inputs().front().name;
  for (const int64_t samples : {1, 3, 8}) {
    std::vector<float> pixels(static_cast<size_t>(samples) * 28 * 28);
    for (float& pixel : pixels) pixel = static_cast<float>(random.normal());
    const std::vector<TensorView> views = {{input,
                                            DType::float32,
                                            {samples, 1, 28, 28},
                                            reinterpret_cast<const std::byte*>(pixels.data())}};
    const auto direct = (*network)->infer({views, samples});
    ASSERT_TRUE(direct.ok()) << direct.error().message;
    const TensorView& scores = direct->outputs.tensors.front();
    ASSERT_EQ(scores.shape.elements(), samples * 10);
    const std::string expected(reinterpret_cast<const char*>(scores.data),
                               static_cast<size_t>(samples) * 10 * sizeof(float));
    const SortedJson named = {
        {"name", input}, {"shape", {samples, 1, 28, 28}}, {"datatype", "FP32"}};
    EXPECT_EQ(json_answer(live, named, pixels), expected) << "batch " << samples << ", as JSON";
    EXPECT_EQ(binary_answer(live, named, pixels), expected) << "batch " << samples << ", binary";
  }
}

// ---- What cannot be taken -----------------------------------------------------------------------

/// Answers with what it was sent once the gate is open; meanwhile tells how many batches it has.
class Gated final : public InferenceRunner {
 public:
  struct Gate {
    std::mutex mutex;
    std::condition_variable moved;
    bool open = true;
    int begun = 0;

    void set(bool is_open) {
      const std::lock_guard lock(mutex);
      open = is_open;
      begun = 0;
      moved.notify_all();
    }
    void wait_for_a_batch() {
      std::unique_lock lock(mutex);
      moved.wait(lock, [this] { return begun > 0; });
    }
    void pass() {
      std::unique_lock lock(mutex);
      ++begun;
      moved.notify_all();
      moved.wait(lock, [this] { return open; });
    }
  };
  explicit Gated(Gate& gate) : gate_(gate) {}
  const ServiceInfo& info() const override { return identity_->info(); }
  Result<std::vector<std::vector<StoredTensor>>> run(
      std::span<const InferRequest> requests) override {
    gate_.pass();
    return identity_->run(requests);
  }
  InferRequest example(int64_t samples) const override { return identity_->example(samples); }

 private:
  Gate& gate_;
  std::unique_ptr<InferenceRunner> identity_ = make_identity_runner();
};

const std::string infer_path = "POST /v2/models/identity/infer";
const std::string two_numbers =
    R"({"inputs":[{"name":"input","shape":[1,2],"datatype":"FP32","data":[1.5,-2]}]})";

void wait_until_one_waits(LiveServing& serving) {
  while (serving.snapshot().services.front().waiting == 0)
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

TEST(LiveEndpoint, AFullQueueIs503WithATimeToRetryAndADrainAnswersTheOthers) {
  Gated::Gate gate;
  ServiceRules rules = long_rules("identity");
  rules.queue.bound = 1;
  LiveEndpoint live(rules, std::make_unique<Gated>(gate), [&gate] { gate.set(false); });
  HttpTestClient first(live.port()), second(live.port());
  first.say(request_text(infer_path, two_numbers));
  gate.wait_for_a_batch();
  second.say(request_text(infer_path, two_numbers));
  wait_until_one_waits(live.serving());
  const std::string third = live.ask(two_numbers);
  EXPECT_THAT(third, StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(third, HasSubstr("Retry-After: "));
  EXPECT_THAT(third, HasSubstr("queue_full"));
  live.serving().drain();
  EXPECT_THAT(live.ask(two_numbers), StartsWith("HTTP/1.1 503")) << "nobody else is taken";
  gate.set(true);
  live.drain();
  EXPECT_THAT(first.hear(), HasSubstr("\"data\":[1.5,-2]"));
  EXPECT_THAT(second.hear(), HasSubstr("\"data\":[1.5,-2]"));
  const ServiceResult service = live.serving().snapshot().services.front();
  EXPECT_EQ(service.answered, 2u);
  EXPECT_EQ(service.arrived, service.answered + service.refused);
}

/// Takes requests of one shape at a time, as a network does, and tells the samples of each batch.
class OfOneShape final : public InferenceRunner {
 public:
  explicit OfOneShape(std::vector<int64_t>& batches) : batches_(batches) {}
  const ServiceInfo& info() const override { return identity_->info(); }
  Result<std::vector<std::vector<StoredTensor>>> run(
      std::span<const InferRequest> requests) override {
    int64_t samples = 0;
    for (const InferRequest& request : requests) {
      samples += request.samples;
      if (request.inputs[0].shape[1] != requests[0].inputs[0].shape[1])
        return Error{Code::invalid_argument, "two shapes in one batch", ""};
    }
    batches_.push_back(samples);
    return identity_->run(requests);
  }
  InferRequest example(int64_t samples) const override { return identity_->example(samples); }

 private:
  std::vector<int64_t>& batches_;
  std::unique_ptr<InferenceRunner> identity_ = make_identity_runner();
};

TEST(LiveEndpoint, RequestsOfDifferentShapesAreNotPutIntoOneBatch) {
  std::vector<int64_t> batches;
  LiveServing serving({.warm_up_s = 0.1});
  serving.add(long_rules("identity"), std::make_unique<OfOneShape>(batches));
  ASSERT_TRUE(serving.warm_up().ok());
  batches.clear();
  size_t right = 0;
  for (const TensorShape& shape :
       std::vector<TensorShape>{{1, 2}, {1, 3}, {2, 2}, {1, 3}, {1, 2}}) {
    const std::string bytes(static_cast<size_t>(shape.elements()) * sizeof(float), 'x');
    serving.submit(0, {{{"input", DType::float32, shape, bytes}},
                       shape[0],
                       [&right, shape, bytes](const InferAnswer& answer) {
                         ASSERT_TRUE(answer.outputs.ok()) << answer.outputs.error().message;
                         right += answer.outputs->front().shape == shape &&
                                  answer.outputs->front().bytes == bytes;
                       }});
  }
  serving.drain();
  ASSERT_TRUE(serving.run(0).ok());
  EXPECT_EQ(right, 5u);
  EXPECT_THAT(batches, ::testing::ElementsAre(4, 2));
}

/// Takes longer than any budget of these tests.
class Slow final : public InferenceRunner {
 public:
  const ServiceInfo& info() const override { return identity_->info(); }
  Result<std::vector<std::vector<StoredTensor>>> run(
      std::span<const InferRequest> requests) override {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    return identity_->run(requests);
  }
  InferRequest example(int64_t samples) const override { return identity_->example(samples); }

 private:
  std::unique_ptr<InferenceRunner> identity_ = make_identity_runner();
};

TEST(LiveEndpoint, WhatCannotBeAnsweredInTimeIs503AtOnce) {
  ServiceRules rules = long_rules("identity");
  rules.latency_ns = 1'000'000;
  LiveEndpoint live(rules, std::make_unique<Slow>());
  for (int i = 0; i < 3; ++i) {
    const std::string answer = live.ask(two_numbers);
    EXPECT_THAT(answer, StartsWith("HTTP/1.1 503"));
    EXPECT_THAT(answer, HasSubstr("Retry-After: 1\r\n"));
    EXPECT_THAT(answer, HasSubstr("overload"));
  }
  EXPECT_EQ(live.serving().snapshot().services.front().refused, 3u);
}

/// Warms up, and then cannot run.
class Broken final : public InferenceRunner {
 public:
  explicit Broken(const std::atomic<bool>& broken) : broken_(broken) {}
  const ServiceInfo& info() const override { return identity_->info(); }
  Result<std::vector<std::vector<StoredTensor>>> run(
      std::span<const InferRequest> requests) override {
    if (broken_) throw std::runtime_error("the accelerator is gone");
    return identity_->run(requests);
  }
  InferRequest example(int64_t samples) const override { return identity_->example(samples); }

 private:
  const std::atomic<bool>& broken_;
  std::unique_ptr<InferenceRunner> identity_ = make_identity_runner();
};

TEST(LiveEndpoint, WhatTheNetworkCouldNotRunIs500WithTheReason) {
  std::atomic<bool> broken{false};
  LiveEndpoint live(long_rules("identity"), std::make_unique<Broken>(broken),
                    [&broken] { broken = true; });
  const std::string answer = live.ask(two_numbers);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 500"));
  EXPECT_THAT(answer, HasSubstr(R"({"error":"identity could not run: the accelerator is gone"})"));
  broken = false;
  EXPECT_THAT(live.ask(two_numbers), StartsWith("HTTP/1.1 200")) << "it goes on";
  EXPECT_EQ(live.serving().snapshot().services.front().failed, 1u);
  EXPECT_THAT(http_exchange(live.port(), request_text("GET /metrics")),
              HasSubstr("outcome=\"failed\"} 1\n"));
}

}  // namespace
}  // namespace flyball
