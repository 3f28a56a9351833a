#include "telemetry/process/ssh.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/os/temp_folder.h"

namespace flyball {
namespace {

using testing::HasSubstr;

TEST(Ssh, AWordOfTheShellThereStaysOne) {
  EXPECT_EQ(store_export_command("flyball", ""), "flyball runs export");
  EXPECT_EQ(store_export_command("f", "it's $(x)"), "f runs export --store 'it'\\''s $(x)'");
}

TEST(Ssh, OutputGoesIntoANewFile) {
  const TempFolder folder;
  const std::filesystem::path file = folder.path() / "out";
  EXPECT_EQ(*run_into_file({"sh", "-c", "cat; echo a; exit 3"}, file), 3);
  EXPECT_EQ(*read_file(file), "a\n");
  EXPECT_NE(*run_into_file({"echo", "b"}, file), 0);
  EXPECT_EQ(*read_file(file), "a\n");
}

TEST(Ssh, WhatHasNoEndIsEnded) {
  const TempFolder folder;
  const Stopwatch since;
  const auto waits = run_into_file({"sleep", "100"}, folder.path() / "a", {.seconds = 0.2});
  ASSERT_FALSE(waits.ok());
  EXPECT_THAT(waits.error().message, HasSubstr("took longer than 0.2 s"));
  const auto writes =
      run_into_file({"yes"}, folder.path() / "b", {.seconds = 60, .bytes = 1 << 20});
  ASSERT_FALSE(writes.ok());
  EXPECT_EQ(writes.error().code, Code::corrupt);
  EXPECT_LT(since.seconds(), 30);
}

}  // namespace
}  // namespace flyball
