#include "server/infer_request.h"

#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <fstream>
#include <limits>

#include "base/json.h"

namespace flyball {
namespace {

using ::testing::HasSubstr;
ServiceInfo two_inputs() {
  return {"net",
          {{.name = "image", .dtype = DType::float32, .shape = {2, 2}},
           {.name = "ids", .dtype = DType::int64, .shape = {-1}}},
          {{.name = "logits", .dtype = DType::float32, .shape = {3}}},
          4,
          0.1};
}

SortedJson image(int64_t samples) {
  SortedJson data = SortedJson::array();
  for (int64_t i = 0; i < samples * 4; ++i) data.push_back(0.5 * static_cast<double>(i));
  return {{"name", "image"}, {"shape", {samples, 2, 2}}, {"datatype", "FP32"}, {"data", data}};
}
SortedJson ids(int64_t samples) {
  return {{"name", "ids"},
          {"shape", {samples, 1}},
          {"datatype", "INT64"},
          {"data", std::vector<int64_t>(static_cast<size_t>(samples), 7)}};
}
SortedJson sound() {
  return {{"id", "a7"}, {"inputs", {image(2), ids(2)}}};
}

std::string complaint(const SortedJson& json) {
  const auto read = read_infer(two_inputs(), json.dump(), std::nullopt);
  return read.ok() ? "accepted" : read.error().message;
}

template <class T>
std::vector<T> numbers(const StoredTensor& tensor) {
  std::vector<T> all(tensor.bytes.size() / sizeof(T));
  std::memcpy(all.data(), tensor.bytes.data(), tensor.bytes.size());
  return all;
}

TEST(InferRequest, FlatAndNestedDataAreTheSame) {
  const auto flat = read_infer(two_inputs(), sound().dump(), std::nullopt);
  ASSERT_TRUE(flat.ok()) << flat.error().message;
  EXPECT_EQ(flat->id, "a7");
  EXPECT_EQ(flat->samples, 2);
  EXPECT_THAT(numbers<float>(flat->inputs[0]), testing::ElementsAre(0, .5, 1, 1.5, 2, 2.5, 3, 3.5));
  EXPECT_THAT(numbers<int64_t>(flat->inputs[1]), testing::ElementsAre(7, 7));
  SortedJson nested = sound();
  nested["inputs"][0]["data"] = {{{0, .5}, {1, 1.5}}, {{2, 2.5}, {3, 3.5}}};
  const auto same = read_infer(two_inputs(), nested.dump(), std::nullopt);
  ASSERT_TRUE(same.ok()) << same.error().message;
  EXPECT_EQ(same->inputs[0].bytes, flat->inputs[0].bytes);
}

TEST(InferRequest, BinaryDataFollowInTheOrderOfInputs) {
  const auto flat = *read_infer(two_inputs(), sound().dump(), std::nullopt);
  SortedJson json = sound();
  for (SortedJson& input : json["inputs"]) input.erase("data");
  json["inputs"][0]["parameters"] = {{"binary_data_size", 32}};
  json["inputs"][1]["parameters"] = {{"binary_data_size", 16}};
  const std::string header = json.dump();
  const std::string body = header + flat.inputs[0].bytes + flat.inputs[1].bytes;
  const auto read = read_infer(two_inputs(), body, std::to_string(header.size()));
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->inputs[0].bytes, flat.inputs[0].bytes);
  EXPECT_EQ(read->inputs[1].bytes, flat.inputs[1].bytes);

  const auto refused = [&](const std::string& bytes, const std::string& length) {
    const auto result = read_infer(two_inputs(), bytes, length);
    return result.ok() ? "accepted" : result.error().message;
  };
  EXPECT_THAT(refused(body.substr(0, body.size() - 1), std::to_string(header.size())),
              HasSubstr("15 bytes follow the JSON where 16 are announced"));
  EXPECT_THAT(refused(body + "x", std::to_string(header.size())),
              HasSubstr("behind the last input"));
  EXPECT_THAT(refused(body, std::to_string(body.size() + 1)), HasSubstr("no length within a body"));
  EXPECT_THAT(refused(body, "-1"), HasSubstr("no length"));
  EXPECT_THAT(refused(body, "12x"), HasSubstr("no length"));
  std::string poisoned = body;
  const float nan = std::numeric_limits<float>::quiet_NaN();
  std::memcpy(poisoned.data() + header.size(), &nan, sizeof nan);
  EXPECT_EQ(refused(poisoned, std::to_string(header.size())),
            "input image holds NaN or an infinity");
}

TEST(InferRequest, WhatIsWrongIsNamed) {
  const auto with = [](const std::function<void(SortedJson&)>& change) {
    SortedJson json = sound();
    change(json);
    return complaint(json);
  };
  EXPECT_EQ(complaint(sound()), "accepted");
  EXPECT_EQ(with([](SortedJson& j) { j["inputs"][0]["name"] = "picture"; }),
            "net has no input 'picture'; it takes image, ids");
  EXPECT_EQ(with([](SortedJson& j) { j["inputs"][0]["datatype"] = "FP64"; }),
            "input image is FP64 where FP32 is expected");
  EXPECT_EQ(with([](SortedJson& j) {
              j["inputs"][0]["shape"] = {2, 4};
            }),
            "input image has shape [2,4] where [-1,2,2] is expected");
  EXPECT_EQ(with([](SortedJson& j) {
              j["inputs"][0]["shape"] = {2, 2, 3};
            }),
            "input image has shape [2,2,3] where [-1,2,2] is expected");
  EXPECT_EQ(with([](SortedJson& j) {
              j["inputs"][0]["shape"] = {-2, 2, 2};
            }),
            "input image has shape [-2,2,2]: -2 samples are none that it takes (1 to 4)");
  EXPECT_EQ(with([](SortedJson& j) {
              j["inputs"] = {image(5), ids(5)};
            }),
            "input image holds 5 samples; a request may hold 4");
  EXPECT_EQ(with([](SortedJson& j) { j["inputs"][1] = ids(1); }),
            "input ids holds 1 samples, input image 2");
  EXPECT_EQ(with([](SortedJson& j) { j["inputs"].erase(1); }), "input ids is missing");
  EXPECT_EQ(with([](SortedJson& j) { j["inputs"].push_back(ids(2)); }), "input ids is given twice");
  EXPECT_EQ(with([](SortedJson& j) { j["inputs"][0]["data"].erase(0); }),
            "input image holds 7 numbers where its shape says 8");
  EXPECT_EQ(with([](SortedJson& j) { j["inputs"][0]["data"][0] = "1"; }),
            "input image: string is no FP32");
  EXPECT_EQ(with([](SortedJson& j) { j["inputs"][0]["data"][0] = 1e39; }),
            "input image: 1e+39 is no FP32");
  EXPECT_EQ(with([](SortedJson& j) { j["inputs"][1]["data"][0] = 1.5; }),
            "input ids: 1.5 is no INT64");
  EXPECT_EQ(with([](SortedJson& j) { j["inputs"][0].erase("data"); }),
            "input image has neither data nor binary_data_size");
  EXPECT_EQ(with([](SortedJson& j) {
              j["outputs"] = {{{"name", "boxes"}}};
            }),
            "net has no output 'boxes'");
  EXPECT_EQ(with([](SortedJson& j) { j["id"] = 7; }), "id is no string");
  EXPECT_EQ(with([](SortedJson& j) { j.erase("inputs"); }), "there are no inputs");
}

TEST(InferRequest, WhatIsNoJsonOrTooMuchIsRefusedBeforeItIsHeld) {
  const auto refused = [](const std::string& body) {
    const auto read = read_infer(two_inputs(), body, std::nullopt);
    return read.ok() ? "accepted" : read.error().message;
  };
  EXPECT_EQ(refused(""), "the body is no JSON: it ends too early");
  EXPECT_EQ(refused("{\"inputs\":[1,]}"), "the body is no JSON: byte 14 is wrong");
  EXPECT_EQ(refused("{\"inputs\":[1e999]}"),
            "the body holds a number beyond what a double can hold");
  EXPECT_EQ(refused("{\"inputs\":[{\"data\":[NaN]}]}"),
            "the body holds NaN, which is no number of JSON");
  EXPECT_EQ(refused("{\"inputs\":\"NaN\""), "the body is no JSON: it ends too early");
  EXPECT_EQ(refused("[]"), "the body is no JSON object");
  EXPECT_EQ(refused(std::string(1 << 20, '[')), "the JSON is nested too deeply");
  std::string many = "{\"inputs\":[0";
  for (int i = 0; i < 400'000; ++i) many += ",0";
  EXPECT_EQ(refused(many + "]}"),
            "the JSON holds more numbers than a request of 4 samples, which is the largest");
}

/// The largest address space that this process ever had.
double peak_mib() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("VmPeak:")) return std::stod(line.substr(7)) / 1024;
  return 0;
}

TEST(InferRequest, NumbersAreCountedBeforeThereIsRoomForThem) {
  const ServiceInfo wide = {"net",
                            {{.name = "x", .dtype = DType::float32, .shape = {-1}}},
                            {{.name = "x", .dtype = DType::float32, .shape = {-1}}},
                            4096,
                            0.1};
  const double before = peak_mib();
  const auto read = read_infer(
      wide, R"({"inputs":[{"name":"x","shape":[4096,65536],"datatype":"FP32","data":[1]}]})",
      std::nullopt);
  ASSERT_FALSE(read.ok());
  EXPECT_EQ(read.error().message, "input x holds 1 numbers where its shape says 268435456");
  EXPECT_LT(peak_mib() - before, 256) << "1 GiB would be needed for all";
}

StoredTensor logits(const std::vector<float>& values) {
  return {"logits",
          DType::float32,
          {1, static_cast<int64_t>(values.size())},
          std::string(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(float))};
}

// The shortest text of a number reads back to the same bits.
TEST(InferRequest, AnswersReadBackToTheSameBits) {
  const std::vector<float> values = {0.1f, 1.0f / 3, -1e-38f, 3.4e38f, 16777216};
  InferCall call;
  call.id = "q\"1";
  const auto body = write_infer(two_inputs(), call, {logits(values)});
  ASSERT_TRUE(body.ok());
  EXPECT_FALSE(body->header_length);
  const SortedJson json = SortedJson::parse(body->bytes);
  EXPECT_EQ(json["model_name"], "net");
  EXPECT_EQ(json["id"], "q\"1");
  EXPECT_EQ(json["outputs"][0]["shape"], (SortedJson{1, 5}));
  EXPECT_EQ(json["outputs"][0]["datatype"], "FP32");
  for (size_t i = 0; i < values.size(); ++i)
    EXPECT_EQ(json["outputs"][0]["data"][i].get<float>(), values[i]);
}

TEST(InferRequest, BinaryAnswersAreTheBytesThemselves) {
  InferCall call;
  call.outputs = {{"logits", true}};
  const StoredTensor output = logits({1, 2});
  const auto body = write_infer(two_inputs(), call, {output});
  ASSERT_TRUE(body.ok() && body->header_length);
  EXPECT_EQ(body->bytes.substr(*body->header_length), output.bytes);
  const SortedJson json = SortedJson::parse(body->bytes.substr(0, *body->header_length));
  EXPECT_EQ(json["outputs"][0]["parameters"]["binary_data_size"], 8);
}

template <class T>
StoredTensor all_of(DType dtype, T number) {
  std::string bytes;
  for (int i = 0; i < 1000; ++i)
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
  return {"logits", dtype, {1, 1000}, bytes};
}

// Room is held for an answer before it is counted as one.
TEST(InferRequest, AnAnswerIsNoLongerThanWasSaid) {
  const std::vector<StoredTensor> longest = {
      all_of(DType::float32, -1.17549435e-38f),
      all_of(DType::float32, -1.2345679e15f),
      all_of(DType::float64, -2.2250738585072014e-308),
      all_of(DType::int64, std::numeric_limits<int64_t>::min()),
      all_of(DType::int32, std::numeric_limits<int32_t>::min()),
      all_of(DType::uint8, uint8_t{255}),
      all_of(DType::boolean, uint8_t{0})};
  InferCall call;
  call.id = std::string(2000, '\x01');
  for (const StoredTensor& output : longest)
    for (const bool binary : {false, true}) {
      call.binary = binary;
      const auto body = write_infer(two_inputs(), call, {output});
      ASSERT_TRUE(body.ok());
      const size_t most = most_told_bytes(two_inputs(), call, {output});
      EXPECT_LE(body->bytes.size(), most);
      EXPECT_LT(most, 3 * body->bytes.size() / 2 + 2000) << "and not much shorter";
    }
}

TEST(InferRequest, WhatJsonHasNoWordForIsSaid) {
  const auto body = write_infer(two_inputs(), {}, {logits({NAN})});
  ASSERT_FALSE(body.ok());
  EXPECT_THAT(body.error().message, HasSubstr("ask for binary data"));
}

}  // namespace
}  // namespace flyball
