// flyball serve over HTTP: as a client meets it.
#include <chrono>
#include <cstring>
#include <thread>

#include "live_testing.h"
#include "server/http_client_testing.h"

namespace flyball::testing_tools {
namespace {

using Json = nlohmann::json;

class ServeHttpTest : public LiveTest {
 protected:
  /// Starts it and waits until it listens; 0: it does not.
  uint16_t serve(std::vector<std::string> arguments) {
    arguments.insert(arguments.begin(), "serve");
    for (const char* more : {"--listen", "127.0.0.1:0", "--anyway", "-q", "--json"})
      arguments.emplace_back(more);
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
  const Json model = Json::parse(body_of(ask(port, "GET /v2/models/lenet5")));
  ASSERT_EQ(model["inputs"][0]["shape"], (Json{-1, 1, 28, 28}));
  std::vector<float> image(28 * 28);
  for (size_t i = 0; i < image.size(); ++i) image[i] = static_cast<float>(i % 7) / 8;
  Json input = {{"name", model["inputs"][0]["name"]},
                {"shape", {1, 1, 28, 28}},
                {"datatype", "FP32"},
                {"data", image}};
  const std::string path = "POST /v2/models/lenet5/infer";
  const Json flat =
      Json::parse(body_of(ask(port, path, Json{{"id", "1"}, {"inputs", {input}}}.dump())));
  EXPECT_EQ(flat["id"], "1");
  const auto& data = flat["outputs"][0]["data"];
  ASSERT_EQ(data.size(), 10u) << flat;

  input.erase("data");
  input["parameters"] = {{"binary_data_size", image.size() * sizeof(float)}};
  const std::string header =
      Json{{"inputs", {input}}, {"parameters", {{"binary_data_output", true}}}}.dump();
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
  EXPECT_NE(metrics.find("flyball_requests_total{model=\"lenet5\",outcome=\"in_time\"} 2\n"),
            std::string::npos)
      << metrics;
  EXPECT_NE(ask(port, "GET /").find("<title>Flyball live"), std::string::npos);

  const Finished done = stop();
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.json()["services"][0]["requests"]["answered"], 2);
  EXPECT_GT(done.json()["training"][0]["minibatches"], 0);
}

TEST_F(ServeHttpTest, TheTokenOfAFileIsAskedFor) {
  const std::string token = write("token", "s3cret\n").string();
  const uint16_t port = serve({"--infer", "identity", "--latency", "1s", "--token-file", token});
  ASSERT_NE(port, 0) << slurp(told(served_, "err"));
  wait_until_ready(port);
  const std::string body =
      R"({"inputs":[{"name":"input","shape":[1,2],"datatype":"FP32","data":[1.5,-2]}]})";
  const std::string path = "POST /v2/models/identity/infer";
  EXPECT_TRUE(ask(port, path, body).starts_with("HTTP/1.1 401"));
  const std::string told_so = ask(port, path, body, "Authorization: Bearer s3cret\r\n");
  EXPECT_NE(told_so.find("\"data\":[1.5,-2]"), std::string::npos) << told_so;
  EXPECT_EQ(stop().exit_code, 0);
}

TEST_F(ServeHttpTest, WhereNobodyCanListenIsSaid) {
  const Finished done = run(
      {"serve", "--infer", "identity", "--latency", "1s", "--listen", "192.0.2.7:80", "--anyway"});
  EXPECT_EQ(done.exit_code, 2);
  EXPECT_NE(done.err.find("cannot listen on 192.0.2.7:80"), std::string::npos) << done.err;
  const Finished table = run({"serve", "--infer", small_table().string(), "--latency", "1s"});
  EXPECT_EQ(table.exit_code, 2);
  EXPECT_NE(table.err.find("nobody sends requests over http to a table"), std::string::npos)
      << table.err;
}

}  // namespace
}  // namespace flyball::testing_tools
