#include "base/os/accounts.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pwd.h>
#include <unistd.h>

#include "base/files.h"
#include "base/os/temp_folder.h"

namespace flyball {
namespace {

using testing::HasSubstr;

class AccountsTest : public testing::Test {
 protected:
  const std::filesystem::path& root() const { return folder_.path(); }
  void put(const char* file, const char* text) {
    ASSERT_TRUE(write_file(root() / "etc" / file, text).ok());
  }

 private:
  TempFolder folder_;
};

TEST_F(AccountsTest, GroupsAreReadFromTheirFile) {
  put("group", "root:x:0:\nflyball2:x:7:\nbroken\nflyball:x:x:\nflyball:x:998:ann,bob\n");
  EXPECT_EQ(*group_number("flyball", {.root = root()}), 998u);
  EXPECT_EQ(group_number("fly", {.root = root()}).error().code, Code::not_found);
  EXPECT_THAT(group_number("staff", {.root = root()}).error().hint, HasSubstr("LDAP"));
  EXPECT_FALSE(group_number("flyball", {.root = root() / "none"}).ok());
}

TEST_F(AccountsTest, HomesAreReadFromTheirFile) {
  put("passwd",
      "root:x:0:0:root:/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\n"
      "bob:x:1001:1001::relative:/bin/sh\n+nis\ncut:x:1002\n");
  EXPECT_EQ(*home_of_user(1000, {.root = root()}), "/home/ann");
  EXPECT_EQ(*name_of_user(1001, {.root = root()}), "bob");
  EXPECT_FALSE(name_of_user(1004, {.root = root()}).ok());
  for (uid_t user : {1001u, 1002u, 1003u})
    EXPECT_FALSE(home_of_user(user, {.root = root()}).ok()) << user;
  EXPECT_THAT(home_of_user(1003, {.root = root()}).error().hint, HasSubstr("HOME"));
}

// Who this is, the C library knows too: it may ask LDAP where these files say nothing.
TEST_F(AccountsTest, ThisUserIsWhomTheSystemKnows) {
  const passwd* user = ::getpwuid(::geteuid());
  if (user == nullptr) GTEST_SKIP() << "this user has no account";
  EXPECT_EQ(*home_of_user(::geteuid()), user->pw_dir);
  EXPECT_EQ(*name_of_user(::geteuid()), user->pw_name);
}

// Words of a shell are no names.
TEST_F(AccountsTest, OddNamesAreNoGroups) {
  for (const char* name : {"", "-r", "x;reboot", "$(id)", "a b", "a\nb"})
    EXPECT_FALSE(group_number(name).ok()) << name;
}

// A directory whose server does not answer keeps nobody waiting, and one that floods fills nothing.
TEST_F(AccountsTest, GetentIsBoundedInTimeAndBytes) {
  const std::filesystem::path getent = root() / "getent";
  for (const char* answer : {"exec sleep 30", "exec yes endless:x:7:"}) {
    ASSERT_TRUE(write_file(getent, std::string("#!/bin/sh\n") + answer + "\n").ok());
    std::filesystem::permissions(getent, std::filesystem::perms(0755));
    const auto late = group_number("no_such_group_here", {.getent = getent, .limit_s = 0.2});
    ASSERT_FALSE(late.ok()) << answer;
    EXPECT_EQ(late.error().code, Code::unavailable);
    EXPECT_THAT(late.error().message, HasSubstr("took longer than 0.2 s"));
    EXPECT_THAT(late.error().hint, HasSubstr("LDAP"));
  }
  ASSERT_TRUE(write_file(getent, "#!/bin/sh\necho \"$2:x:77:\"\n").ok());
  EXPECT_EQ(*group_number("no_such_group_here", {.getent = getent}), 77u);
  ASSERT_TRUE(write_file(getent, "#!/bin/sh\nexit 2\n").ok());
  EXPECT_EQ(group_number("no_such_group_here", {.getent = getent}).error().code, Code::not_found);
}

}  // namespace
}  // namespace flyball
