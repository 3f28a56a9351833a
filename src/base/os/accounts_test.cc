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
  EXPECT_EQ(*group_number("flyball", root()), 998u);
  EXPECT_EQ(group_number("fly", root()).error().code, Code::not_found);
  EXPECT_THAT(group_number("staff", root()).error().hint, HasSubstr("LDAP"));
  EXPECT_FALSE(group_number("flyball", root() / "none").ok());
}

TEST_F(AccountsTest, HomesAreReadFromTheirFile) {
  put("passwd",
      "root:x:0:0:root:/root:/bin/sh\nann:x:1000:1000::/home/ann:/bin/sh\n"
      "bob:x:1001:1001::relative:/bin/sh\n+nis\ncut:x:1002\n");
  EXPECT_EQ(*home_of_user(1000, root()), "/home/ann");
  for (uid_t user : {1001u, 1002u, 1003u}) EXPECT_FALSE(home_of_user(user, root()).ok()) << user;
  EXPECT_THAT(home_of_user(1003, root()).error().hint, HasSubstr("HOME"));
}

// Who this is, the C library knows too: it may ask LDAP where these files say nothing.
TEST_F(AccountsTest, ThisUserIsWhomTheSystemKnows) {
  const passwd* user = ::getpwuid(::geteuid());
  if (user == nullptr) GTEST_SKIP() << "this user has no account";
  EXPECT_EQ(*home_of_user(::geteuid()), user->pw_dir);
}

// Words of a shell are no names.
TEST_F(AccountsTest, OddNamesAreNoGroups) {
  for (const char* name : {"", "-r", "x;reboot", "$(id)", "a b", "a\nb"})
    EXPECT_FALSE(group_number(name).ok()) << name;
}

}  // namespace
}  // namespace flyball
