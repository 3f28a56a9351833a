#include "load/load_request.h"

#include <gtest/gtest.h>
#include <stdlib.h>

#include "base/json.h"

namespace flyball {
namespace {

TEST(LoadTarget, TellsTheProtocolFromThePath) {
  const auto protocol = [](const char* url) { return parse_target(url, "")->protocol; };
  EXPECT_EQ(protocol("http://a:1/v1/chat/completions"), LoadProtocol::openai_chat);
  EXPECT_EQ(protocol("http://a:1/v1/completions?x=1"), LoadProtocol::openai_completions);
  EXPECT_EQ(protocol("a:1/v2/models/m"), LoadProtocol::oip);
  EXPECT_EQ(protocol("a:1/predict"), LoadProtocol::http);
  const LoadTarget chat = *parse_target("http://[::1]:8080", "openai-chat");
  EXPECT_EQ(chat.host, "::1");
  EXPECT_EQ(chat.url(), "http://[::1]:8080/v1/chat/completions");
  EXPECT_EQ(parse_target("localhost", "")->port, "80");
}

TEST(LoadTarget, RefusesWhatIsNoUrlOfHttp) {
  for (const char* url : {"", "http://", "ftp://a/", "http://a:0/", "http://a:x/",
                          "http://a:99999/", "http://[::1/", "http://a/b c"})
    EXPECT_FALSE(parse_target(url, "").ok()) << url;
  EXPECT_NE(parse_target("https://a/", "").error().hint.find("proxy"), std::string::npos);
  const auto secret = parse_target("http://me:hunter2@a/", "");
  EXPECT_EQ(secret.error().message.find("hunter2"), std::string::npos);
  EXPECT_NE(parse_target("http://a/", "grpc").error().hint.find("openai-chat"), std::string::npos);
}

TEST(LoadRequest, TakesKeysFromTheEnvironmentAndTellsNone) {
  LoadRequestOptions options;
  options.key_from = "A_KEY_OF_THIS_TEST";
  EXPECT_FALSE(request_headers(options).ok());
  ::setenv("A_KEY_OF_THIS_TEST", "s3cret", 1);
  EXPECT_EQ(request_headers(options)->back().second, "Bearer s3cret");
  const auto bad = parse_header("X: a\r\nEvil: s3cret");
  ASSERT_FALSE(bad.ok());
  EXPECT_EQ((bad.error().message + bad.error().hint).find("s3cret"), std::string::npos);
  EXPECT_FALSE(parse_header("Host: other").ok());
  EXPECT_FALSE(parse_header("no colon").ok());
}

SortedJson metadata(const std::string& inputs) {
  return SortedJson::parse(R"({"name":"m","inputs":)" + inputs + "}");
}

TEST(LoadRequest, BuildsInputsOfWhatTheModelTakes) {
  const LoadTarget target = *parse_target("http://a:1/v2/models/m", "");
  const auto request = oip_request(
      metadata(
          R"([{"name":"x","datatype":"FP32","shape":[-1,2]},{"name":"i","datatype":"INT64","shape":[3]}])"),
      true, target, {});
  ASSERT_TRUE(request.ok());
  EXPECT_EQ(request->path, "/v2/models/m/infer");
  const LoadTarget script = *parse_target("http://a:1/v2/models/script:%2Fa.pt", "");
  const auto of_script =
      oip_request(metadata(R"([{"name":"x","datatype":"UINT8","shape":[2]}])"), false, script, {});
  EXPECT_EQ(of_script->path, "/v2/models/script%3A%2Fa.pt/infer") << "encoded once";
  const size_t json_bytes = request->body.size() - 8 - 24;
  const auto header = SortedJson::parse(request->body.substr(0, json_bytes));
  EXPECT_EQ(header["inputs"][0]["shape"], SortedJson({1, 2}));
  EXPECT_EQ(header["inputs"][1]["parameters"]["binary_data_size"], 24);
  const auto text =
      oip_request(metadata(R"([{"name":"x","datatype":"UINT8","shape":[2]}])"), false, target, {});
  EXPECT_EQ(SortedJson::parse(text->body)["inputs"][0]["data"], SortedJson({0, 0}));
}

TEST(LoadRequest, RefusesMetadataThatItCannotServe) {
  const LoadTarget target = *parse_target("http://a:1/v2/models/m", "");
  const auto refused = [&](const std::string& inputs, LoadRequestOptions options = {}) {
    return !oip_request(metadata(inputs), true, target, options).ok();
  };
  EXPECT_TRUE(refused("[]"));
  EXPECT_TRUE(refused("7"));
  EXPECT_TRUE(refused(R"([{"name":7,"datatype":"FP32","shape":[1]}])"));
  EXPECT_TRUE(refused(R"([{"name":"x","datatype":"BYTES","shape":[1]}])"));
  EXPECT_TRUE(refused(R"([{"name":"x","datatype":"FP32"}])"));
  EXPECT_TRUE(refused(R"([{"name":"x","datatype":"FP32","shape":[99999999,99999999]}])"));
  const std::string varies = R"([{"name":"x","datatype":"FP32","shape":[1,-1]}])";
  EXPECT_TRUE(refused(varies));
  LoadRequestOptions shaped;
  shaped.shapes = {"x=1,128"};
  EXPECT_FALSE(refused(varies, shaped));
  shaped.shapes = {"x=1,0"};
  EXPECT_TRUE(refused(varies, shaped));
}

}  // namespace
}  // namespace flyball
