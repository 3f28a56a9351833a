#include "device/doctor/version_report.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/os/temp_folder.h"

namespace flyball {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

TEST(Version, SaysWhatIsThere) {
  const std::string text =
      version_text({.commit = "0123456789ab, changed",
                    .module = ModuleStamp{"0.1.0", "2.5.0", "/nowhere/libtorch_cpu.so"},
                    .module_file = "/opt/lib/flyball/flyball_torch.so",
                    .cuda = "12.6.68",
                    .l4t = "R36.4.3 (JetPack 6)"});
  EXPECT_EQ(text, "flyball " FLYBALL_VERSION
                  "\n"
                  "commit    0123456789ab, changed\n"
                  "module    /opt/lib/flyball/flyball_torch.so\n"
                  "LibTorch  2.5.0, for the processor alone\n"
                  "CUDA      12.6.68\n"
                  "L4T       R36.4.3 (JetPack 6)");
}

TEST(Version, SaysWhatIsNot) {
  const std::string text =
      version_text({.module = Error{Code::unavailable, "this flyball is without", "x"}});
  EXPECT_THAT(text, HasSubstr("\ncommit    not known"));
  EXPECT_THAT(text, HasSubstr("\nmodule    none: this flyball is without\nLibTorch  none\n"));
  EXPECT_THAT(text, EndsWith("CUDA      none found\nL4T       none found"));
}

TEST(Version, ReadsTheMachine) {
  const TempFolder folder;
  const auto cuda = [&](const char* file, const char* text) {
    std::filesystem::remove_all(folder / "usr");
    EXPECT_TRUE(write_file(folder / "usr/local/cuda" / file, text).ok());
    return read_version_facts(folder.path()).cuda;
  };
  EXPECT_EQ(cuda("version.json", R"({"cuda": {"name": "CUDA SDK", "version": "12.6.68"}})"),
            "12.6.68");
  EXPECT_EQ(cuda("version.txt", "CUDA Version 10.2.300\n"), "10.2.300");
  for (const char* odd : {"", "[]", "{", R"({"cuda": 7})", R"({"cuda": {"version": 12}})"})
    EXPECT_EQ(cuda("version.json", odd), "") << odd;
  EXPECT_EQ(read_version_facts(folder.path()).l4t, "");
  ASSERT_TRUE(write_file(folder / "etc/nv_tegra_release", "# R36 (release), REVISION: 4.3").ok());
  EXPECT_EQ(read_version_facts(folder.path()).l4t, "R36.4.3 (JetPack 6)");
  EXPECT_FALSE(read_version_facts(folder.path()).module_file.empty());
}

}  // namespace
}  // namespace flyball
