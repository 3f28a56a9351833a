#include "telemetry/process/ssh.h"

#include <gtest/gtest.h>

namespace flyball {
namespace {

TEST(Ssh, AWordOfTheShellThereStaysOne) {
  EXPECT_EQ(store_export_command("flyball", ""), "flyball runs export");
  EXPECT_EQ(store_export_command("f", "it's $(x)"), "f runs export --store 'it'\\''s $(x)'");
}

}  // namespace
}  // namespace flyball
