#include "server/http_access.h"

#include <gtest/gtest.h>

namespace flyball {
namespace {

TEST(ListenAddress, SaysWhetherOthersCanAsk) {
  for (const char* own : {"127.0.0.1", "127.9.9.9", "::1"})
    EXPECT_TRUE((ListenAddress{own, 0}.loopback())) << own;
  for (const char* open : {"0.0.0.0", "::", "192.0.2.7", "12.7.0.1"})
    EXPECT_FALSE((ListenAddress{open, 0}.loopback())) << open;
}

TEST(HttpAccess, ReadsHosts) {
  for (const char* loopback : {"localhost", "LOCALHOST:1", "127.0.0.1", "127.1.2.3:65535", "[::1]",
                               "[::1]:80", "localhost:", "[0:0:0:0:0:0:0:1]"})
    EXPECT_EQ(read_host(loopback), HostName::loopback) << loopback;
  for (const char* other : {"127.evil.com", "127.0.0.1.evil.com", "localhost.evil.com", "127.1",
                            "0x7f.0.0.1", "127.0.0.01", "example", "[::2]:80", "10.0.0.1"})
    EXPECT_EQ(read_host(other), HostName::other) << other;
  for (const char* malformed : {"", ":80", "localhost:x:y", "127.0.0.1@evil.com", "localhost:80a",
                                "[::1", "[localhost]", "[::1]80", "a b", "localhost/x", "::1",
                                "localhost:123456", "localhost,localhost", "[fe80::1%lo]"})
    EXPECT_EQ(read_host(malformed), HostName::malformed) << malformed;
}

int refused(const std::string& host, const std::string& origin, bool loopback = true,
            const std::string& path = "/v2", const std::string& authorization = "",
            const std::string& token = "") {
  RequestHead head;
  head.host = host;
  head.origin = origin;
  head.has_origin = !origin.empty();
  head.authorization = authorization;
  const auto fault = refuse_access(head, path, token, loopback);
  return fault ? fault->status : 200;
}

TEST(HttpAccess, RefusesOtherHostsOriginsAndTokens) {
  EXPECT_EQ(refused("localhost:80", ""), 200);
  EXPECT_EQ(refused("LocalHost:80", "http://localhost:80"), 200);
  EXPECT_EQ(refused("localhost", "https://localhost"), 200) << "a proxy ended TLS";
  EXPECT_EQ(refused("board.example", "https://Board.example", false), 200);
  EXPECT_EQ(refused("board.example", "https://evil.example", false), 403);
  EXPECT_EQ(refused("board.example", "ftp://board.example", false), 403);
  EXPECT_EQ(refused("127.evil.com", "http://127.evil.com"), 403);
  EXPECT_EQ(refused("localhost:80", "http://localhost:81"), 403);
  EXPECT_EQ(refused("localhost:80", "null"), 403);
  EXPECT_EQ(refused("board.example", "", false), 200);
  EXPECT_EQ(refused("board example", "", false), 400);
  EXPECT_EQ(refused("localhost", "", true, "/v2", "Bearer s", "s3cret"), 401);
  EXPECT_EQ(refused("localhost", "", true, "/v2", "", "s3cret"), 401);
  EXPECT_EQ(refused("localhost", "", true, "/v2", "bearer s3cret", "s3cret"), 200);
  EXPECT_EQ(refused("localhost", "", true, "/v2", "Bearer S3CRET", "s3cret"), 401);
  EXPECT_EQ(refused("localhost", "", true, "/v2/health/ready", "", "s3cret"), 200);
  EXPECT_EQ(refused("localhost", "", true, "/v2/healthy", "", "s3cret"), 401);
}

}  // namespace
}  // namespace flyball
