#include "module/module.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/os/temp_folder.h"
#include "module/module_testing.h"

namespace flyball {
namespace {

using testing::AllOf;
using testing::HasSubstr;

/// Copies of the real module with other words in it, as another build or another machine shows
/// them.
class Module : public testing::Test {
 protected:
  void SetUp() override { FLYBALL_NEEDS_TORCH(); }
  std::filesystem::path with(const std::string& words, const std::string& others) {
    std::string content = *read_file(module_file());
    EXPECT_EQ(words.size(), others.size());
    size_t found = 0;
    for (size_t at = 0; (at = content.find(words, at)) != std::string::npos; ++found)
      content.replace(at, words.size(), others);
    EXPECT_GT(found, 0u) << words;
    EXPECT_TRUE(write_file(folder_ / "copy.so", content).ok());
    return folder_ / "copy.so";
  }
  TempFolder folder_;
};

void expect_error(const Result<void*>& loaded, const std::string& message,
                  const std::string& hint) {
  ASSERT_FALSE(loaded.ok());
  EXPECT_THAT(loaded.error().message, HasSubstr(message));
  EXPECT_THAT(loaded.error().hint, HasSubstr(hint));
}

TEST_F(Module, SaysWhatItIsWithoutBeingLoaded) {
  const auto stamp = check_module();
  ASSERT_TRUE(stamp.ok()) << stamp.error().message;
  EXPECT_EQ(stamp->build, module_build());
  EXPECT_THAT(stamp->libtorch, testing::MatchesRegex("[0-9]+\\.[0-9]+\\.[0-9]+.*"));
  EXPECT_TRUE(std::filesystem::exists(stamp->library)) << stamp->library;
  EXPECT_THAT(*read_file("/proc/self/maps"), Not(HasSubstr("libtorch")));
}

TEST_F(Module, IsLoadedWhenAFunctionIsAskedFor) {
  EXPECT_TRUE(module_function("flyball_step_maker").ok());
  EXPECT_THAT(*read_file("/proc/self/maps"),
              AllOf(HasSubstr("flyball_torch.so"), HasSubstr("libtorch")));
  const auto none = module_function("flyball_no_such_thing");
  expect_error(none, "has no flyball_no_such_thing", "install flyball again");
}

TEST_F(Module, OneThatIsMissingIsNamed) {
  expect_error(load_module(folder_ / "none.so"), (folder_ / "none.so").string(),
               "lib/flyball belongs beside bin");
}

TEST_F(Module, AnotherFileIsRefused) {
  ASSERT_TRUE(write_file(folder_ / "copy.so", "no module").ok());
  expect_error(load_module(folder_ / "copy.so"), "copy.so is no module of flyball", "again");
}

TEST_F(Module, OneOfAnotherBuildIsRefusedBeforeItIsLoaded) {
  expect_error(load_module(with("interface ", "otherface ")),
               "copy.so is of flyball " FLYBALL_VERSION " (", "install both from one build");
}

TEST_F(Module, AMissingLibTorchIsNamedWithItsPlace) {
  const auto copy = with("libtorch_cpu", "libtorch_ghz");
  expect_error(load_module(copy), "libtorch_ghz", "install LibTorch ");
  const auto checked = check_module(copy);
  ASSERT_FALSE(checked.ok());
  EXPECT_THAT(checked.error().message, HasSubstr("is not where it was when flyball was built: "));
}

TEST_F(Module, AnotherLibTorchIsNamed) {
  expect_error(load_module(with("get_num_threads", "got_num_threads")), "got_num_threads",
               "build flyball again with the one that is here");
}

TEST(NoModule, IsSaidByABuildWithout) {
  if (built_with_torch()) GTEST_SKIP() << "built with LibTorch";
  const auto stamp = read_stamp();
  ASSERT_FALSE(stamp.ok());
  EXPECT_EQ(stamp.error().message, "this flyball was built without LibTorch");
  EXPECT_THAT(stamp.error().hint, HasSubstr("-DFLYBALL_TORCH=ON"));
}

}  // namespace
}  // namespace flyball
