#include "base/os/host_addresses.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/os/temp_folder.h"

namespace flyball {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class HostAddresses : public testing::Test {
 protected:
  HostSources sources(const char* hosts, const char* getent) {
    HostSources made{.hosts = folder_ / "hosts", .getent = folder_ / "getent"};
    EXPECT_TRUE(write_file(made.hosts, hosts).ok());
    if (getent) {
      EXPECT_TRUE(write_file(made.getent, std::string("#!/bin/sh\n") + getent).ok());
      std::filesystem::permissions(made.getent, std::filesystem::perms::owner_all);
    }
    return made;
  }

 private:
  TempFolder folder_;
};

TEST_F(HostAddresses, AnAddressIsItsOwn) {
  const HostSources none = sources("", "exit 1\n");
  for (const char* address : {"127.0.0.1", "::1", "fe80::1%eth0"})
    EXPECT_THAT(*host_addresses(address, none), ElementsAre(address));
}

TEST_F(HostAddresses, WhatGetentSaysIsTakenOnceEach) {
  const HostSources told = sources("10.0.0.9 board\n",
                                   "[ \"$1 $2\" = 'ahosts board' ] || exit 2\n"
                                   "echo '10.0.0.1        STREAM board'\n"
                                   "echo '10.0.0.1        DGRAM'\necho 'fd00::1 STREAM'\n");
  EXPECT_THAT(*host_addresses("board", told), ElementsAre("10.0.0.1", "fd00::1"));
}

TEST_F(HostAddresses, WithoutGetentTheFileTells) {
  const HostSources file =
      sources("# 10.0.0.8 board\n10.0.0.9\tnano Board # ours\nx board\n\n", nullptr);
  EXPECT_THAT(*host_addresses("board", file), ElementsAre("10.0.0.9"));
  EXPECT_THAT(*host_addresses("LOCALHOST", file), ElementsAre("127.0.0.1", "::1"));
  EXPECT_EQ(host_addresses("ours", file).error().code, Code::not_found);
}

TEST_F(HostAddresses, OddNamesAreAskedOfNobody) {
  const HostSources any = sources("", "echo '10.0.0.1 STREAM'\n");
  for (const char* name : {"", "-h", "a b", "$(id)", "x;y", "1.2.3.4.5 x"})
    EXPECT_EQ(host_addresses(name, any).error().code, Code::not_found) << name;
}

// A server of names that does not answer keeps nobody waiting.
TEST_F(HostAddresses, GetentIsBoundedInTime) {
  HostSources slow = sources("", "exec sleep 60\n");
  slow.limit_s = 0.1;
  EXPECT_EQ(host_addresses("board", slow).error().code, Code::unavailable);
}

}  // namespace
}  // namespace flyball
