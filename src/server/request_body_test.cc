#include "server/request_body.h"

#include <gtest/gtest.h>

namespace flyball {
namespace {

struct Read {
  int status = 0;  // 200: whole; 0: more is needed; else of the refusal
  std::string body, rest;
};

Read read_body(const RequestHead& head, const std::string& bytes, const BodyLimits& limits,
               size_t step) {
  BodyReader reader(head, limits);
  Read read;
  for (size_t at = 0; at < bytes.size() && !reader.done() && !reader.fault();) {
    const auto piece = std::string_view(bytes).substr(at, step);
    at += reader.read(piece, [&read](std::string_view data) {
      read.body += data;
      return std::optional<RequestFault>();
    });
    read.rest = bytes.substr(at);
  }
  if (reader.fault()) return {reader.fault()->status, "", ""};
  read.status = reader.done() ? 200 : 0;
  return read;
}

// However the bytes arrive, they are read in the same way.
Read chunked(const std::string& bytes, const BodyLimits& limits = {}) {
  RequestHead head;
  head.framing = BodyFraming::chunked;
  Read whole = read_body(head, bytes, limits, bytes.size());
  for (const size_t step : {1, 2, 3, 7}) {
    const Read pieces = read_body(head, bytes, limits, step);
    EXPECT_EQ(pieces.status, whole.status) << bytes.substr(0, 60);
    EXPECT_EQ(pieces.body, whole.body);
    EXPECT_EQ(pieces.rest, whole.rest);
  }
  return whole;
}

TEST(RequestBody, EndsWhereItsFramingSays) {
  RequestHead head;
  EXPECT_EQ(BodyReader(head, {}).done(), true);
  head.framing = BodyFraming::length;
  head.length = 4;
  const Read counted = read_body(head, "abcdGET", {}, 3);
  EXPECT_EQ(counted.body, "abcd");
  EXPECT_EQ(counted.rest, "GET");
  EXPECT_EQ(read_body(head, "abc", {}, 3).status, 0);
  const Read read = chunked("3\r\nabc\r\n00A;x=\"y\"\r\n0123456789\r\n0\r\nT: 1\r\nU:\r\n\r\nGET");
  EXPECT_EQ(read.status, 200);
  EXPECT_EQ(read.body, "abc0123456789");
  EXPECT_EQ(read.rest, "GET");
  EXPECT_EQ(chunked("3\r\nab").status, 0);
}

TEST(RequestBody, RefusesOtherFraming) {
  for (const char* bytes : {"\r\n",           "x\r\n",           "3 \r\nabc\r\n",
                            "-3\r\nabc\r\n",  "0x3\r\nabc\r\n",  ";a\r\n",
                            "3\nabc\r\n",     "3\r\nabcd\r\n",   "3\r\nabc\n",
                            "3\r\nabc\rx",    "3;\x01\r\n",      "3;a\rb\r\n",
                            "3;a\nabc",       "0\r\n X: a\r\n",  "0\r\nX\r\n",
                            "0\r\nX : a\r\n", "0\r\nX: a\n\r\n", "0\r\nX: \x01\r\n",
                            "0\r\n\n",        "0\r\n\rx",        "1111111111111111\r\n"})
    EXPECT_EQ(chunked(bytes).status, 400) << bytes;
}

TEST(RequestBody, EverythingCountsAgainstALimit) {
  const BodyLimits limits{100, 50};
  EXPECT_EQ(chunked("65\r\n" + std::string(200, 'a'), limits).status, 413);
  EXPECT_EQ(chunked("fffffffffffffff\r\n", limits).status, 413);
  std::string small_chunks, extensions;
  for (int i = 0; i < 101; ++i) small_chunks += "1\r\na\r\n";
  EXPECT_EQ(chunked(small_chunks, limits).status, 413);
  for (int i = 0; i < 30; ++i) extensions += "1;x\r\na\r\n";
  EXPECT_EQ(chunked(extensions, limits).status, 400) << "of all chunks together";
  EXPECT_EQ(chunked("3;" + std::string(60, 'x'), limits).status, 400);
  EXPECT_EQ(chunked("0\r\nX: " + std::string(60, 'x'), limits).status, 431);
  RequestHead head;
  head.framing = BodyFraming::length;
  head.length = 101;
  EXPECT_EQ(BodyReader(head, limits).fault()->status, 413);
}

TEST(RequestBody, ASinkMayRefuse) {
  RequestHead head;
  head.framing = BodyFraming::length;
  head.length = 4;
  BodyReader reader(head, {});
  const auto full = [](std::string_view) { return RequestFault{503, "full"}; };
  reader.read("ab", full);
  ASSERT_TRUE(reader.fault());
  EXPECT_EQ(reader.fault()->status, 503);
}

}  // namespace
}  // namespace flyball
