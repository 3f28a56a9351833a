#include "collect/source.h"

#include <gmock/gmock.h>

namespace flyball {
namespace {

TEST(CollectSource, HostsAreToldFromFiles) {
  for (const char* file : {"a.db", "./orin:1.db", "/data/orin:1.db", "folder/"})
    EXPECT_FALSE(parse_remote(file)->has_value()) << file;
  const auto remote = parse_remote("me@orin-1.lab:dir/it's.db").value();
  ASSERT_TRUE(remote.has_value());
  EXPECT_EQ(remote->host, "me@orin-1.lab");
  EXPECT_EQ(remote->path, "dir/it's.db");
  EXPECT_EQ(parse_remote("[fe80::1]:s.db").value()->host, "[fe80::1]");
  EXPECT_EQ(parse_remote("orin:").value()->path, "");
}

TEST(CollectSource, AHostIsNoOption) {
  for (const char* source : {"-oProxyCommand=x:s.db", "a b:s.db", ":s.db", "$(x):s.db", "a;b:s.db"})
    EXPECT_EQ(parse_remote(source).error().code, Code::invalid_argument) << source;
}

}  // namespace
}  // namespace flyball
