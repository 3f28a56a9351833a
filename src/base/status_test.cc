#include "base/status.h"

#include <gtest/gtest.h>

#include <memory>
#include <set>

namespace flyball {
namespace {

Result<int> half(int n) {
  if (n % 2 == 0) return n / 2;
  return Error{Code::invalid_argument, "odd", "take an even one"};
}

Result<int> quarter(int n) {
  FLYBALL_ASSIGN(const int once, half(n));
  FLYBALL_ASSIGN(const int twice, half(once));
  return twice;
}

Status check(int n) {
  FLYBALL_CHECK(quarter(n));
  return {};
}

TEST(Status, CarriesAValueOrAnError) {
  EXPECT_EQ(quarter(12).value(), 3);
  EXPECT_EQ(quarter(6).error().message, "odd");
  EXPECT_TRUE(check(8));
  EXPECT_EQ(check(7).error().hint, "take an even one");
}

TEST(Status, MovesWhatCannotBeCopied) {
  Result<std::unique_ptr<int>> result = std::make_unique<int>(5);
  const std::unique_ptr<int> taken = *std::move(result);
  EXPECT_EQ(*taken, 5);
}

TEST(Status, AnErrorSeenFromFurtherOutKeepsItsCodeAndHint) {
  const Error outer = Error{Code::io, "disk full", "free some space"}.within("saving");
  EXPECT_EQ(outer.message, "saving: disk full");
  EXPECT_EQ(outer.code, Code::io);
  EXPECT_EQ(outer.hint, "free some space");
}

TEST(Status, EveryCodeHasANameOfItsOwn) {
  std::set<std::string> names;
  for (int i = 0; i <= static_cast<int>(last_code); ++i)
    names.insert(code_name(static_cast<Code>(i)));
  EXPECT_EQ(names.size(), static_cast<size_t>(last_code) + 1);
  EXPECT_EQ(std::string(code_name(Code::not_found)), "not_found");
}

}  // namespace
}  // namespace flyball
