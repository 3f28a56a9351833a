// A user who is no root sets whole boards by the helper: every axis of the board, and back.
#include "device/host/board_trees_testing.h"

#include <gmock/gmock.h>

#include "device/helper/helper_testing.h"
#include "device/host/board_device.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

class HelperBoardTest : public HelperTest, public testing::WithParamInterface<const char*> {
 protected:
  void SetUp() override {
    HelperTest::SetUp();
    if (IsSkipped()) return;
    trees::write_tree(GetParam(), root());
    // As the kernel has it: knobs are for root.
    for (const auto& entry : fs::recursive_directory_iterator(root()))
      if (entry.is_regular_file()) {
        ASSERT_EQ(::chmod(entry.path().c_str(), 0644), 0);
      }
    const auto state = folder() / fmt::format("state-{}", peer_user);
    ASSERT_EQ(::mkdir(state.c_str(), 0700), 0);
    ASSERT_EQ(::chown(state.c_str(), peer_user, peer_user), 0);
    before_ = content();
    start_helper([this] { return open(tree_.journal()); }, root());
  }
  fs::path root() const { return folder() / "board"; }
  Result<std::unique_ptr<Device>> open(const fs::path& journal) const {
    return std::unique_ptr<Device>(
        open_known_board(identify_board(root()), {.root = root(), .journal = journal}));
  }
  std::map<std::string, std::string> content() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(root()))
      if (entry.is_regular_file()) all[entry.path().string()] = *read_file(entry.path());
    return all;
  }
  /// The lowest value of each axis.
  static PowerMode lowest(const Device& device) {
    PowerMode mode;
    for (const Axis& axis : device.axes()) mode.values[axis.name] = axis.values.front();
    return mode;
  }
  int set_lowest_as_user(bool killed) {
    return as_user({}, [&] {
      const auto own_state = folder() / fmt::format("state-{}", peer_user);
      const auto device = with_helper(*open(own_state / "board.journal"), root(), {}, socket());
      if (find_axis(device->axes(), axis::gpu_mhz) == nullptr ||
          std::ranges::any_of(device->states(), &AxisState::own))
        return 1;
      if (const Status set = device->apply(lowest(*device)); !set.ok()) {
        fmt::print(stderr, "{}\n", set.error().message);
        return 2;
      }
      if (killed) ::kill(::getpid(), SIGKILL);
      if (content() == before_) return 3;
      return device->restore().ok() && content() == before_ ? 0 : 4;
    });
  }

  std::map<std::string, std::string> before_;
};

TEST_P(HelperBoardTest, EveryAxisIsSetAndPutBack) {
  EXPECT_EQ(set_lowest_as_user(false), 0);
  EXPECT_EQ(content(), before_);
}

TEST_P(HelperBoardTest, KilledInAModeTheBoardIsAsItWas) {
  EXPECT_EQ(set_lowest_as_user(true), -SIGKILL);
  EXPECT_TRUE(within_seconds_of_now(20, [&] { return content() == before_; }));
}

INSTANTIATE_TEST_SUITE_P(Trees, HelperBoardTest, testing::Values("orin_agx_jp6", "xavier_nx_jp4"));

}  // namespace
}  // namespace flyball
