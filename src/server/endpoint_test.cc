#include "server/endpoint.h"

#include <gmock/gmock.h>
#include <sys/resource.h>
#include <unistd.h>
#include <zlib.h>

#include <atomic>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "base/json.h"
#include "server/served_testing.h"

namespace flyball {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

// Answers when it is told to, from a thread of its own.
class HeldServing final : public Serving {
 public:
  const std::vector<ServiceInfo>& services() const override { return identity_.services(); }
  bool ready() const override { return is_ready; }
  void submit(size_t, InferRequest request) override {
    const std::lock_guard lock(mutex_);
    held_.push_back(std::move(request));
  }
  size_t held() {
    const std::lock_guard lock(mutex_);
    return held_.size();
  }
  void answer_all() {
    std::vector<InferRequest> now;
    {
      const std::lock_guard lock(mutex_);
      now.swap(held_);
    }
    for (InferRequest& request : now) identity_.submit(0, std::move(request));
  }
  void drop_all() {
    const std::lock_guard lock(mutex_);
    held_.clear();
  }
  std::atomic<bool> is_ready = true;

 private:
  IdentityServing identity_;
  std::mutex mutex_;
  std::vector<InferRequest> held_;
};

class RefusingServing final : public Serving {
 public:
  const std::vector<ServiceInfo>& services() const override { return identity_.services(); }
  bool ready() const override { return true; }
  void submit(size_t, InferRequest request) override {
    InferAnswer answer{Error{Code::unavailable, "too much", ""}};
    answer.refused = RefusalReason::overload;
    answer.retry_after_s = 2.3;
    request.done(std::move(answer));
  }

 private:
  IdentityServing identity_;
};

// A network that answers NaN. It asks first what its client can be told, as the one that counts
// failures does.
class NanServing final : public Serving {
 public:
  const std::vector<ServiceInfo>& services() const override { return identity_.services(); }
  bool ready() const override { return true; }
  void submit(size_t service, InferRequest request) override {
    const float nothing = std::numeric_limits<float>::quiet_NaN();
    std::string& bytes = request.inputs.front().bytes;
    for (size_t i = 0; i < bytes.size(); i += sizeof nothing)
      std::memcpy(&bytes[i], &nothing, sizeof nothing);
    StoredTensor output = request.inputs.front();
    output.name = "output";
    can_tell.push_back(!request.can_tell || request.can_tell({output}).ok());
    identity_.submit(service, std::move(request));
  }
  std::vector<bool> can_tell;  ///< of each request; read once it is answered

 private:
  IdentityServing identity_;
};

TEST(Endpoint, WhoComputesIsToldWhatAClientCannotBeTold) {
  NanServing serving;
  const Served served(serving);
  EXPECT_THAT(served.ask(infer_path, two_numbers), StartsWith("HTTP/1.1 500"));
  std::string binary = two_numbers;
  binary.insert(1, R"("parameters":{"binary_data_output":true},)");
  EXPECT_THAT(served.ask(infer_path, binary), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(serving.can_tell, testing::ElementsAre(false, true));
}

TEST(Endpoint, ServesTheProtocol) {
  IdentityServing serving;
  const Served served(serving);
  EXPECT_THAT(served.ask("GET /v2"), HasSubstr("binary_tensor_data"));
  EXPECT_THAT(served.ask("GET /v2/health/live"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(served.ask("GET /v2/health/ready"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(served.ask("GET /v2/models/identity"),
              HasSubstr(R"("inputs":[{"name":"input","datatype":"FP32","shape":[-1,-1]}])"));
  EXPECT_THAT(served.ask("GET /v2/models/identity"),
              HasSubstr(R"("parameters":{"max_batch_size":1024})"));
  EXPECT_THAT(served.ask("GET /v2/models/identity/versions/1/ready"), HasSubstr(R"("ready":true)"));
  const std::string answer = served.ask("POST /v2/models/identity/versions/1/infer", two_numbers);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(answer, HasSubstr(R"("id":"7")"));
  EXPECT_THAT(answer,
              HasSubstr(R"({"name":"output","shape":[1,2],"datatype":"FP32","data":[1.5,-2]})"));
}

// A model whose name is a path, as script:/nets/a.pt is.
class ScriptServing final : public Serving {
 public:
  ScriptServing() { services_.front().name = "script:/nets/a.pt"; }
  const std::vector<ServiceInfo>& services() const override { return services_; }
  bool ready() const override { return true; }
  void submit(size_t service, InferRequest request) override {
    identity_.submit(service, std::move(request));
  }

 private:
  IdentityServing identity_;
  std::vector<ServiceInfo> services_ = identity_.services();
};

TEST(Endpoint, ANameMayHaveSlashes) {
  ScriptServing serving;
  const Served served(serving);
  const std::string path = "/v2/models/script:%2Fnets%2fa.pt";
  EXPECT_THAT(served.ask("GET " + path), HasSubstr(R"("name":"script:/nets/a.pt")"));
  EXPECT_THAT(served.ask("GET " + path + "/versions/1/ready"), HasSubstr(R"("ready":true)"));
  EXPECT_THAT(served.ask("POST " + path + "/infer", two_numbers), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(served.ask("GET " + path + "%2Fready"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(served.ask("GET /v2%2Fmodels/x"), StartsWith("HTTP/1.1 404"));
  EXPECT_EQ(asked_model({"POST", "", {"v2", "models", "script:/nets/a.pt", "infer"}}),
            "script:/nets/a.pt");
}

TEST(Endpoint, WhatIsNotThereIsNamed) {
  IdentityServing serving;
  const Served served(serving);
  EXPECT_THAT(served.ask("GET /v3"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(served.ask("GET /v2/%zz"), HasSubstr("a % that is not followed by two"));
  EXPECT_THAT(served.ask("GET /v2/models/other"), HasSubstr("there is no model 'other' here"));
  EXPECT_THAT(served.ask("GET /v2/models/identity/versions/2"), StartsWith("HTTP/1.1 404"));
  EXPECT_THAT(served.ask("GET /v2/models/identity/infer"), HasSubstr("Allow: POST"));
  EXPECT_THAT(served.ask("DELETE /v2"), HasSubstr("Allow: GET"));
  EXPECT_THAT(served.ask(infer_path, "{"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(served.ask("GET /metrics"), HasSubstr("flyball_bad_requests_total 2\n"));
}

TEST(Endpoint, ReadyOnlyOnceWarm) {
  HeldServing serving;
  serving.is_ready = false;
  const Served served(serving);
  EXPECT_THAT(served.ask("GET /v2/health/ready"), StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(served.ask(infer_path, two_numbers), HasSubstr("Retry-After: 1\r\n"));
  EXPECT_THAT(served.ask("GET /v2/health/live"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(served.ask("GET /v2/models/identity"), Not(HasSubstr("max_batch_size")));
  serving.is_ready = true;
  EXPECT_THAT(served.ask("GET /v2/health/ready"), StartsWith("HTTP/1.1 200"));
}

TEST(Endpoint, ARefusalSaysWhenToTryAgain) {
  RefusingServing serving;
  const Served served(serving);
  const std::string answer = served.ask(infer_path, two_numbers);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(answer, HasSubstr("Retry-After: 3\r\n"));
  EXPECT_THAT(served.ask("GET /metrics"), HasSubstr("outcome=\"refused\"} 1\n"));
}

// Two bytes of JSON become four of a tensor.
TEST(Endpoint, WhatThereIsNoRoomForIsCounted) {
  IdentityServing serving;
  const FixedView view;
  HttpOptions options;
  options.limits.all_bodies = 150'000;
  const Served served(serving, options, &view);
  std::string numbers = "1";
  for (int i = 1; i < 60'000; ++i) numbers += ",1";
  const std::string large =
      R"({"inputs":[{"name":"input","shape":[1,60000],"datatype":"FP32","data":[)" + numbers +
      "]}]}";
  const std::string answer = served.ask(infer_path, large);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(answer, HasSubstr("too many large requests at once"));
  EXPECT_THAT(served.ask("GET /metrics"), HasSubstr("flyball_no_room_requests_total 1\n"));
}

// Answers what is a million numbers long, as the one that counts failures does: it asks first.
class LongServing final : public Serving {
 public:
  const std::vector<ServiceInfo>& services() const override { return identity_.services(); }
  bool ready() const override { return true; }
  void submit(size_t, InferRequest request) override {
    const StoredTensor output{"output", DType::float32, {1, 1'000'000}, std::string(4'000'000, 0)};
    const Status told = request.can_tell({output});
    could_tell = told.ok();
    request.done({told.ok() ? Result(std::vector{output}) : told.error()});
  }
  std::atomic<bool> could_tell = true;

 private:
  IdentityServing identity_;
};

// Nothing is counted as answered that its client is not told.
TEST(Endpoint, AnAnswerThatThereIsNoRoomForHasFailed) {
  LongServing serving;
  HttpOptions options;
  options.limits.all_bodies = 5'000'000;
  const Served served(serving, options);
  const std::string answer = served.ask(infer_path, two_numbers);
  EXPECT_THAT(answer, StartsWith("HTTP/1.1 503"));
  EXPECT_THAT(answer, HasSubstr("too many large answers at once"));
  EXPECT_THAT(answer, HasSubstr("Retry-After: 1\r\n"));
  EXPECT_FALSE(serving.could_tell);
  const std::string metrics = served.ask("GET /metrics");
  EXPECT_THAT(metrics, HasSubstr("outcome=\"failed\"} 1\n"));
  EXPECT_THAT(metrics, HasSubstr("outcome=\"in_time\"} 0\n"));
  EXPECT_THAT(metrics, HasSubstr("flyball_no_room_requests_total 1\n"));
  std::string binary = two_numbers;
  binary.insert(1, R"("parameters":{"binary_data_output":true},)");
  EXPECT_THAT(served.ask(infer_path, binary), StartsWith("HTTP/1.1 200"));
}

TEST(Endpoint, OneConnectionServesManyRequestsInOrder) {
  IdentityServing serving;
  const Served served(serving);
  HttpTestClient client(served.server->port());
  for (int i = 0; i < 50; ++i) {
    const std::string body =
        R"({"inputs":[{"name":"input","shape":[1,1],"datatype":"FP32","data":[)" +
        std::to_string(i) + "]}]}";
    client.say("POST /v2/models/identity/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: " +
               std::to_string(body.size()) + "\r\n\r\n" + body);
    EXPECT_THAT(client.hear("]}"), HasSubstr("\"data\":[" + std::to_string(i) + "]"));
  }
}

std::string gzipped(const std::string& text) {
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
  std::string out(text.size() + 1024, 0);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(out.data());
  stream.avail_out = static_cast<uInt>(out.size());
  deflate(&stream, Z_FINISH);
  out.resize(stream.total_out);
  deflateEnd(&stream);
  return out;
}

TEST(Endpoint, TakesCompressedBodiesUpToTheLimit) {
  IdentityServing serving;
  HttpOptions options;
  options.limits.body_bytes = 10'000;
  const Served served(serving, options);
  const std::string zip = "Content-Encoding: gzip\r\n";
  EXPECT_THAT(served.ask(infer_path, gzipped(two_numbers), zip), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(served.ask(infer_path, gzipped(two_numbers) + "rest", zip),
              AllOf(StartsWith("HTTP/1.1 400"), HasSubstr("no whole gzip")));
  EXPECT_THAT(served.ask(infer_path, gzipped(std::string(1 << 20, ' ')), zip),
              HasSubstr("no whole gzip of at most 10000 bytes"));
  EXPECT_THAT(served.ask(infer_path, "xyz", zip), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(served.ask(infer_path, "xyz", "Content-Encoding: br\r\n"),
              HasSubstr("br is not known"));
  EXPECT_THAT(served.ask(infer_path, std::string(10'001, ' ')), StartsWith("HTTP/1.1 413"));
}

TEST(Endpoint, WhatIsNoHttpEndsItsConnectionAlone) {
  IdentityServing serving;
  HttpOptions options;
  options.limits.header_s = 0.3;
  options.limits.header_bytes = 1000;
  const Served served(serving, options);
  EXPECT_THAT(http_exchange(served.server->port(), "hello\r\n\r\n"), StartsWith("HTTP/1.1 400"));
  EXPECT_THAT(http_exchange(served.server->port(),
                            "GET /v2 HTTP/1.1\r\nX: " + std::string(2000, 'a') + "\r\n\r\n"),
              StartsWith("HTTP/1.1 431"));
  HttpTestClient slow(served.server->port());
  slow.say("GET /v2 HT");
  EXPECT_EQ(slow.hear(), "") << "a header that does not come is not waited for";
  EXPECT_THAT(served.ask("GET /v2"), StartsWith("HTTP/1.1 200"));
}

// Bytes that trickle in: the first part of a request, and then one byte after the other for good.
class Trickle {
 public:
  Trickle(uint16_t port, const std::string& begin) : client_(port) {
    client_.say(begin);
    thread_ = std::thread([this] {
      while (!stop_) {
        client_.say("a");
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
      }
    });
  }
  ~Trickle() {
    stop_ = true;
    thread_.join();
  }
  Trickle(const Trickle&) = delete;
  Trickle& operator=(const Trickle&) = delete;
  /// All that the server says until it hangs up, or ten minutes are over.
  std::string hear() {
    std::string all;
    for (int i = 0; i < 30 && !client_.hung_up(); ++i) all += client_.hear();
    return all;
  }
  bool hung_up() const { return client_.hung_up(); }

 private:
  HttpTestClient client_;
  std::atomic<bool> stop_ = false;
  std::thread thread_;
};
const std::string trickled_header = "GET /v2 HTTP/1.1\r\nX: ";
const std::string trickled_body =
    "POST /v2/models/identity/infer HTTP/1.1\r\nHost: localhost\r\nContent-Length: "
    "1000000\r\n\r\n{";

TEST(Endpoint, SlowClientsDelayNobody) {
  IdentityServing serving;
  HttpOptions options;
  options.limits.header_bytes = options.limits.body_bytes = 1 << 20;
  options.limits.header_s = options.limits.body_s = 600;
  const Served served(serving, options);
  std::vector<std::unique_ptr<Trickle>> slow;
  for (int i = 0; i < 10; ++i)
    slow.push_back(std::make_unique<Trickle>(served.server->port(),
                                             i % 2 == 0 ? trickled_header : trickled_body));
  for (int i = 0; i < 20; ++i)
    EXPECT_THAT(served.ask(infer_path, two_numbers), StartsWith("HTTP/1.1 200"));
}

// However long each byte keeps it waiting: the limit is of the whole header, and of the whole body.
TEST(Endpoint, SlowClientsAreCutOffAfterTheirLimit) {
  IdentityServing serving;
  HttpOptions options;
  options.limits.header_bytes = options.limits.body_bytes = 1 << 20;
  options.limits.header_s = options.limits.body_s = 0.3;
  const Served served(serving, options);
  Trickle header(served.server->port(), trickled_header),
      body(served.server->port(), trickled_body);
  EXPECT_EQ(header.hear(), "");
  EXPECT_TRUE(header.hung_up());
  EXPECT_EQ(body.hear(), "");
  EXPECT_TRUE(body.hung_up());
  EXPECT_THAT(served.ask("GET /v2"), StartsWith("HTTP/1.1 200"));
}

TEST(Endpoint, ConnectionsAreBounded) {
  IdentityServing serving;
  HttpOptions options;
  options.limits.connections = 2;
  const Served served(serving, options);
  HttpTestClient first(served.server->port()), second(served.server->port());
  const std::string ask = "GET /v2 HTTP/1.1\r\nHost: localhost\r\n\r\n";
  first.say(ask);
  EXPECT_THAT(first.hear("}"), StartsWith("HTTP/1.1 200"));
  second.say(
      ask);  // after the first's answer: were both asked at once, either could be answered first
  EXPECT_THAT(second.hear("}"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(served.ask("GET /v2"), StartsWith("HTTP/1.1 200")) << "the one idle for longest goes";
  EXPECT_EQ(first.hear(), "");
  EXPECT_TRUE(first.hung_up());
  second.say(ask);
  EXPECT_THAT(second.hear("}"), StartsWith("HTTP/1.1 200"));
}

/// Lets this process open no file beyond the ones it has, until its end.
class NoMoreFiles {
 public:
  NoMoreFiles() {
    getrlimit(RLIMIT_NOFILE, &before_);
    const int highest = dup(0);
    rlimit files = before_;
    files.rlim_cur = static_cast<rlim_t>(highest) + 1;
    setrlimit(RLIMIT_NOFILE, &files);
    for (int file = highest; file >= 0; file = dup(0)) taken_.push_back(file);
  }
  ~NoMoreFiles() {
    setrlimit(RLIMIT_NOFILE, &before_);
    for (const int file : taken_) close(file);
  }
  NoMoreFiles(const NoMoreFiles&) = delete;
  NoMoreFiles& operator=(const NoMoreFiles&) = delete;

 private:
  rlimit before_{};
  std::vector<int> taken_;
};

TEST(Endpoint, WithoutFilesItTriesAgainNowAndThenAndGoesOn) {
  IdentityServing serving;
  const Served served(serving);
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  auto none = std::make_unique<NoMoreFiles>();
  const int64_t began_ns = monotonic_ns();
  HttpTestClient client(served.server->port(), socket);  // waits in the kernel's queue
  ASSERT_TRUE(client.connected());
  while (served.server->accept_errors() < 3) sleep_until_ns(monotonic_ns() + 10'000'000);
  const int64_t took_ns = monotonic_ns() - began_ns;
  EXPECT_LE(static_cast<int64_t>(served.server->accept_errors()), took_ns / 100'000'000 + 2)
      << "it does not spin";
  none.reset();
  client.say(request_text("GET /v2"));
  EXPECT_THAT(client.hear(), StartsWith("HTTP/1.1 200"));
}

// In a process of its own: a hard limit can be lowered by everybody, but not be raised again.
TEST(Endpoint, ConnectionsAreBoundedByTheFilesThatMayBeOpened) {
  const auto with_few_files = [] {
    const rlimit few{200, 200};
    setrlimit(RLIMIT_NOFILE, &few);
    IdentityServing serving;
    const Served served(serving);
    EXPECT_GT(served.server->most_connections(), 0u);
    EXPECT_LT(served.server->most_connections(), 200u - 64);
    std::vector<std::unique_ptr<HttpTestClient>> clients;
    for (size_t i = 0; i < served.server->most_connections() / 2; ++i)  // both ends are ours
      clients.push_back(std::make_unique<HttpTestClient>(served.server->port()));
    clients.front()->say(request_text("GET /v2"));
    EXPECT_THAT(clients.front()->hear(), StartsWith("HTTP/1.1 200"));
    EXPECT_EQ(served.server->accept_errors(), 0u);
    std::_Exit(::testing::Test::HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(with_few_files(), ::testing::ExitedWithCode(0), "");
}

TEST(Endpoint, ListenersLeaveRoomWhereConnectionsAreFew) {
  const auto with_fewer_files = [] {
    const rlimit few{150, 150};
    setrlimit(RLIMIT_NOFILE, &few);
    IdentityServing serving;
    const FixedView view;
    const Served served(serving, {}, &view);
    EXPECT_LT(served.server->most_connections(), HttpLimits().listeners);
    std::vector<std::unique_ptr<HttpTestClient>> listeners;
    for (size_t i = 0; i < served.server->most_connections(); ++i) {
      listeners.push_back(std::make_unique<HttpTestClient>(served.server->port()));
      listeners.back()->say("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
      EXPECT_THAT(listeners.back()->hear("\r\n\r\n"), StartsWith("HTTP/1.1 "));
    }
    EXPECT_THAT(served.ask("GET /v2"), StartsWith("HTTP/1.1 200"));
    std::_Exit(::testing::Test::HasFailure() ? 1 : 0);
  };
  EXPECT_EXIT(with_fewer_files(), ::testing::ExitedWithCode(0), "");
}

TEST(Endpoint, FilesForItsConnectionsAreAllowedWhereTheyMayBe) {
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_NOFILE, &before), 0);
  const HttpOptions options;
  if (before.rlim_max < options.limits.connections + 1024) GTEST_SKIP() << "it may have no more";
  rlimit few = before;
  few.rlim_cur = 200;
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &few), 0);
  IdentityServing serving;
  EXPECT_EQ(Served(serving).server->most_connections(), options.limits.connections);
  ASSERT_EQ(setrlimit(RLIMIT_NOFILE, &before), 0);
}

TEST(Endpoint, TheTokenIsAskedForOfAllButHealthAndTheEmptyPage) {
  IdentityServing serving;
  const FixedView view;
  HttpOptions options;
  options.token = "s3cret";
  const Served served(serving, options, &view);
  EXPECT_THAT(served.ask("GET /"), HasSubstr("<title>Flyball live"));
  EXPECT_THAT(served.ask("GET /events"), StartsWith("HTTP/1.1 401")) << "all that the page shows";
  EXPECT_THAT(served.ask("GET /events?token=s3cret"), StartsWith("HTTP/1.1 401"))
      << "addresses are remembered and written down by others";
  EXPECT_THAT(served.ask("GET /?x", "", "Origin: http://evil.example\r\n"),
              StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(served.ask(infer_path, two_numbers), StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(served.ask("GET /metrics", "", "Authorization: Bearer s3cres\r\n"),
              StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(served.ask("GET /v2/health/ready"), StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(served.ask(infer_path, two_numbers, "Authorization: Bearer S3CRET\r\n"),
              StartsWith("HTTP/1.1 401"));
  EXPECT_THAT(served.ask(infer_path, two_numbers, "Authorization: bearer s3cret\r\n"),
              StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(served.ask(infer_path, two_numbers, "Authorization: Bearer s3cret\r\n"),
              StartsWith("HTTP/1.1 200"));
}

// A page somewhere else must not make its reader's browser ask here.
TEST(Endpoint, PagesOfOtherOriginsAreRefused) {
  IdentityServing serving;
  const Served served(serving);
  EXPECT_THAT(served.ask("GET /v2", "", "Origin: http://evil.example\r\n"),
              StartsWith("HTTP/1.1 403"));
  EXPECT_THAT(served.ask("GET /v2", "", "Origin: http://localhost\r\n"),
              StartsWith("HTTP/1.1 200"));
  EXPECT_THAT(http_exchange(served.server->port(),
                            "GET /v2 HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n"),
              StartsWith("HTTP/1.1 403"));
}

TEST(Endpoint, ADrainAnswersWhatWasAccepted) {
  HeldServing serving;
  const Served served(serving);
  HttpTestClient client(served.server->port());
  client.say(request_text(infer_path, two_numbers));
  while (serving.held() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_FALSE(served.server->drain(0.01)) << "one is still owed its answer";
  EXPECT_THAT(served.ask("GET /v2"), StartsWith("HTTP/1.1 503")) << "nobody else is taken";
  serving.answer_all();
  EXPECT_TRUE(served.server->drain(20));
  EXPECT_THAT(client.hear(), HasSubstr("\"data\":[1.5,-2]"));
}

TEST(Endpoint, WhatNobodyAnswersIsAnError) {
  HeldServing serving;
  const Served served(serving);
  HttpTestClient client(served.server->port());
  client.say(request_text(infer_path, two_numbers));
  while (serving.held() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  serving.drop_all();
  EXPECT_THAT(client.hear(), StartsWith("HTTP/1.1 500"));
}

TEST(Endpoint, AnAnswerThatComesAfterTheServerHasEndedIsDropped) {
  HeldServing serving;
  auto served = std::make_unique<Served>(serving);
  HttpTestClient client(served->server->port());
  client.say(request_text(infer_path, two_numbers));
  while (serving.held() == 0) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  served->server.reset();
  EXPECT_EQ(client.hear(), "");
  serving.answer_all();
}

TEST(Endpoint, ListenersHearHowItStands) {
  IdentityServing serving;
  const FixedView view;
  Served served(serving, {}, &view);
  HttpTestClient listener(served.server->port());
  listener.say("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  EXPECT_THAT(listener.hear("\r\n\r\n"), HasSubstr("text/event-stream"));
  auto publisher = std::make_unique<LivePublisher>(*served.server, view);
  const std::string event = listener.hear("\n\n");
  ASSERT_THAT(event, StartsWith("data: {"));
  const auto json = SortedJson::parse(event.substr(6, event.find("\n\n") - 6));
  EXPECT_EQ(json["services"][0]["answered"], 5);
  EXPECT_TRUE(json["power_w"].is_null());
  EXPECT_FALSE(json["draining"]);
  publisher.reset();
  EXPECT_THAT(listener.hear("\n\n"), HasSubstr("\"answered\":5"));  // once more at its end
  EXPECT_THAT(served.ask("GET /"), HasSubstr("connect-src 'self'"));
}

TEST(Endpoint, WhoListensLateHearsTheLastEventsFirst) {
  IdentityServing serving;
  const FixedView view;
  HttpOptions options;
  options.limits.kept_events = 5;
  options.limits.event_bytes = 1000;
  const Served served(serving, options, &view);
  const auto heard = [&served] {
    HttpTestClient listener(served.server->port());
    listener.say("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
    std::string all = listener.hear("\r\n\r\n");
    served.server->publish("end");
    all += listener.hear("data: end\n\n");
    return all.substr(all.find("\r\n\r\n") + 4);
  };
  for (int i = 0; i < 8; ++i) served.server->publish(std::to_string(i));
  EXPECT_EQ(heard(), "data: 3\n\ndata: 4\n\ndata: 5\n\ndata: 6\n\ndata: 7\n\ndata: end\n\n");
  const std::string long_one(400, 'x');
  for (int i = 0; i < 3; ++i) served.server->publish(long_one);
  EXPECT_EQ(heard(), "data: " + long_one + "\n\ndata: end\n\n")
      << "no more than half of what a listener may be behind";
}

TEST(ListenAddress, IsLoopbackUnlessTold) {
  EXPECT_EQ(parse_listen_address("0")->host, "127.0.0.1");
  EXPECT_EQ(parse_listen_address("[::1]:80")->host, "::1");
  EXPECT_EQ(parse_listen_address("0.0.0.0:80")->host, "0.0.0.0");
  EXPECT_EQ(parse_listen_address("localhost:80")->port, 80);
  for (const char* wrong : {"", ":", "a", "127.0.0.1:70000", "::1:80", "host.example:80", "1:2:3"})
    EXPECT_FALSE(parse_listen_address(wrong).ok()) << wrong;
  const auto other = HttpServer::listen({.listen = {"192.0.2.7", 80}}, HttpHandler());
  ASSERT_FALSE(other.ok());
  EXPECT_THAT(other.error().message, HasSubstr("cannot listen on 192.0.2.7:80"));
}

}  // namespace
}  // namespace flyball
