#include "base/os/told_errors.h"

#include <gtest/gtest.h>

namespace flyball {
namespace {

TEST(ToldErrors, BothAreToldInTheirOrder) {
  const Status fine, first = Error{Code::io, "the disk is gone", "mount it"},
                     later = Error{Code::permission, "the mode stays", "be root"};
  EXPECT_TRUE(told_together(fine, fine).ok());
  EXPECT_EQ(told_together(first, fine).error().message, "the disk is gone");
  EXPECT_EQ(told_together(fine, later).error().code, Code::permission);
  const Error both = told_together(first, later).error();
  EXPECT_EQ(both.code, Code::io);
  EXPECT_EQ(both.message, "the disk is gone; and then: the mode stays");
  EXPECT_EQ(both.hint, "mount it; be root");
  EXPECT_EQ(told_together(first, first).error().hint, "mount it");
  const Status bare = Error{Code::io, "it failed", ""};
  EXPECT_EQ(told_together(bare, later).error().hint, "be root");
}

TEST(InOneLine, IsTheMessageWithItsHint) {
  EXPECT_EQ(in_one_line({Code::io, "no disk", "plug it in"}), "no disk (plug it in)");
  EXPECT_EQ(in_one_line({Code::io, "no disk", ""}), "no disk");
}

}  // namespace
}  // namespace flyball
