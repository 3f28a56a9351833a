#include "server/request_head.h"

#include <gmock/gmock.h>

namespace flyball {
namespace {

using ::testing::HasSubstr;

struct HeadRead {
  int status = 200;  // of a refusal
  std::string message;
  RequestHead head;
};

// All at once, or byte by byte.
HeadRead read_head(const std::string& text, size_t step, size_t limit = 16 << 10) {
  HeadEnd end;
  for (size_t n = std::min(step, text.size());; n = std::min(n + step, text.size())) {
    const auto found = end.find(std::string_view(text).substr(0, n), limit);
    if (const auto* fault = std::get_if<RequestFault>(&found))
      return {fault->status, fault->message, {}};
    if (const size_t size = std::get<size_t>(found)) {
      EXPECT_EQ(size, text.size());
      const auto head = parse_head(text);
      if (const auto* fault = std::get_if<RequestFault>(&head))
        return {fault->status, fault->message, {}};
      return {200, "", std::get<RequestHead>(head)};
    }
    if (n == text.size()) return {0, "more is needed", {}};
  }
}

HeadRead of_fields(const std::string& fields, const std::string& version = "HTTP/1.1") {
  const std::string text = "POST /a " + version + "\r\nHost: h\r\n" + fields + "\r\n";
  const HeadRead read = read_head(text, text.size());
  EXPECT_EQ(read_head(text, 1).status, read.status) << text;
  return read;
}

TEST(RequestHead, ReadsWhatDecides) {
  const HeadRead read = of_fields(
      "Content-Length:  12 \r\nORIGIN: http://h\r\nAuthorization: Bearer x y\r\n"
      "Content-Encoding: GZIP\r\nExpect: 100-Continue\r\nX:\r\nConnection: x, Close\r\n");
  ASSERT_EQ(read.status, 200) << read.message;
  EXPECT_EQ(read.head.method, "POST");
  EXPECT_EQ(read.head.target, "/a");
  EXPECT_EQ(read.head.host, "h");
  EXPECT_EQ(read.head.origin, "http://h");
  EXPECT_EQ(read.head.authorization, "Bearer x y");
  EXPECT_EQ(read.head.content_encoding, "gzip");
  EXPECT_EQ(read.head.framing, BodyFraming::length);
  EXPECT_EQ(read.head.length, 12u);
  EXPECT_TRUE(read.head.expects_continue);
  EXPECT_FALSE(read.head.keep_alive);
  EXPECT_EQ(of_fields("Transfer-Encoding: Chunked\r\n").head.framing, BodyFraming::chunked);
  EXPECT_EQ(of_fields("Content-Length: 0\r\n").head.framing, BodyFraming::none);
  EXPECT_TRUE(of_fields("").head.keep_alive);
  EXPECT_FALSE(of_fields("", "HTTP/1.0").head.keep_alive);
  EXPECT_TRUE(of_fields("Connection: Keep-Alive\r\n", "HTTP/1.0").head.keep_alive);
}

TEST(RequestHead, RefusesWhatCanBeReadInTwoWays) {
  for (const char* fields : {"Transfer-Encoding: xchunked\r\n",
                             "Transfer-Encoding: chunked, identity\r\n",
                             "Transfer-Encoding: identity, chunked\r\n",
                             "Transfer-Encoding: \"chunked\"\r\n",
                             "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n",
                             "Transfer-Encoding:\r\n",
                             "Transfer-Encoding: chunked\r\nContent-Length: 3\r\n",
                             "Content-Length: 3\r\nTransfer-Encoding: xchunked\r\n",
                             "Content-Length: 3\r\nContent-Length: 3\r\n",
                             "Content-Length: 3, 3\r\n",
                             "Content-Length: +3\r\n",
                             "Content-Length: -1\r\n",
                             "Content-Length: 0x3\r\n",
                             "Content-Length: 3 3\r\n",
                             "Content-Length:\r\n",
                             "Host: h\r\n",
                             "Origin: a\r\nOrigin: a\r\n",
                             "Authorization: a\r\nAuthorization: b\r\n",
                             "X: a\r\n b\r\n",
                             " X: a\r\n",
                             "X : a\r\n",
                             ": a\r\n",
                             "X\r\n",
                             "X: a\nY: b\r\n",
                             "X: a\rb\r\n",
                             "X: \x01\r\n",
                             "X: \x7f\r\n"})
    EXPECT_EQ(of_fields(fields).status, 400) << fields;
  EXPECT_EQ(of_fields("Transfer-Encoding: chunked\r\n", "HTTP/1.0").status, 400);
  EXPECT_EQ(of_fields("Expect: a cake\r\n").status, 417);
  EXPECT_EQ(of_fields("Content-Length: 99999999999999999999\r\n").status, 413);
}

TEST(RequestHead, RefusesOtherFirstLines) {
  const auto status = [](const std::string& line) {
    const std::string text = line + "\r\nHost: h\r\n\r\n";
    return read_head(text, text.size()).status;
  };
  EXPECT_EQ(status("GET /a?b HTTP/1.1"), 200);
  for (const char* line :
       {"GET", "GET /a", "GET  /a HTTP/1.1", "GET /a  HTTP/1.1", " GET /a HTTP/1.1", "/a HTTP/1.1",
        "GET a HTTP/1.1", "GET http://h/a HTTP/1.1", "GET * HTTP/1.1", "G(T /a HTTP/1.1",
        "GET /a b HTTP/1.1", "GET /a http/1.1", "GET /a HTTP/1.1 ", "GET\t/a\tHTTP/1.1", "",
        "GET /a HTTP/11", "GET /a#b HTTP/1.1"})
    EXPECT_EQ(status(line), 400) << line;
  EXPECT_EQ(status("GET /a HTTP/2.0"), 505);
  EXPECT_EQ(status("GET /a HTTP/1.2"), 505);
  EXPECT_THAT(read_head("GET / HTTP/1.1\r\n\r\n", 99).message, HasSubstr("no Host"));
}

TEST(RequestHead, IsBounded) {
  const std::string begin = "GET / HTTP/1.1\r\nHost: h\r\n";
  EXPECT_EQ(read_head(begin + "X: " + std::string(2000, 'a') + "\r\n\r\n", 7, 1000).status, 431);
  EXPECT_EQ(read_head(std::string(5000, 'a'), 4096, 1000).status, 431);
  EXPECT_EQ(read_head(begin, 5, 1000).status, 0);
  std::string many = begin;
  for (int i = 0; i < 100; ++i) many += "X: a\r\n";
  EXPECT_EQ(read_head(many + "\r\n", 4096).status, 431);
}

}  // namespace
}  // namespace flyball
