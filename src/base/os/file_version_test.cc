#include "base/os/file_version.h"

#include <gtest/gtest.h>

namespace flyball {
namespace {

// Test vectors of Fowler, Noll and Vo.
TEST(ContentHash, IsFnv1a) {
  EXPECT_EQ(content_hash(""), 0xcbf29ce484222325u);
  EXPECT_EQ(content_hash("a"), 0xaf63dc4c8601ec8cu);
  EXPECT_EQ(content_hash("foobar"), 0x85944171f73967e8u);
  ContentHash32 hash;
  hash.mix("foobar");
  EXPECT_EQ(hash.value(), 0xbf9cf968u);
}

TEST(ContentHash, GoesOnWhereItStopped) {
  ContentHash hash;
  hash.mix("foo");
  hash.mix("bar");
  EXPECT_EQ(hash.value(), content_hash("foobar"));
  EXPECT_NE(hash.value(), content_hash("barfoo"));
}

}  // namespace
}  // namespace flyball
