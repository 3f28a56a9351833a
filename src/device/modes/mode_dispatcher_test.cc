// `flyball mode` of users who are no root, by the helper, over a tree of a board.
#include "device/modes/mode_dispatcher.h"

#include <gmock/gmock.h>

#include "base/json.h"
#include "base/text.h"
#include "device/helper/helper_testing.h"
#include "device/host/board_trees_testing.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

class ModeDispatcherTest : public HelperTest {
 protected:
  void SetUp() override {
    HelperTest::SetUp();
    if (IsSkipped()) return;
    trees::write_tree("orin_agx_jp6", root());
    // As the kernel has it: knobs are for root.
    for (const auto& entry : fs::recursive_directory_iterator(root()))
      if (entry.is_regular_file()) {
        ASSERT_EQ(::chmod(entry.path().c_str(), 0644), 0);
      }
    for (const uid_t user : {peer_user, other_user}) {
      ASSERT_EQ(::mkdir(state_of(user).c_str(), 0700), 0);
      ASSERT_EQ(::chown(state_of(user).c_str(), user, user), 0);
    }
    before_ = content();
  }
  void serve() {
    HelperService service;
    service.root = root();
    service.set_caps = [this](Device& device, const HelperRequest& request) {
      return set_caps(device, root(), request);
    };
    start_helper([this] { return Result<std::unique_ptr<Device>>(open(tree_.journal())); }, root(),
                 modes_of_service(service));
  }
  fs::path root() const { return folder() / "board"; }
  fs::path state_of(uid_t user) const { return folder() / fmt::format("state-{}", user); }
  std::unique_ptr<BoardDevice> open(const fs::path& journal) const {
    return open_known_board(identify_board(root()), {.root = root(), .journal = journal});
  }
  std::map<std::string, std::string> content() const {
    std::map<std::string, std::string> all;
    for (const auto& entry : fs::recursive_directory_iterator(root()))
      if (entry.is_regular_file()) all[entry.path().string()] = *read_file(entry.path());
    return all;
  }
  std::string gpu_max() const {
    const auto text =
        read_file(root() / "sys/devices/platform/17000000.gpu/devfreq/17000000.gpu/max_freq");
    return text ? std::string(trim(*text)) : text.error().message;
  }
  /// As this user, with a board and a dispatcher of its own: 0 is what tests expect.
  int with_desk(const std::function<int(ModeDispatcher&, BoardDevice&)>& act,
                const TestUser& user = TestUser()) {
    return as_user(user, [&] {
      ::setenv("FLYBALL_STATE", state_of(user.uid).c_str(), 1);
      ::setenv("FLYBALL_HELPER", socket().c_str(), 1);
      const auto board = open(state_of(user.uid) / "board.journal");
      ModeDispatcher dispatcher(*board, root(), socket());
      return act(dispatcher, *board);
    });
  }
  static int fail(int number, const std::string& why) {
    fmt::print(stderr, "step {}: {}\n", number, why);
    return number;
  }
  Json shown(const BoardDevice& board) const {
    return mode_json(identify_board(root()), board, root());
  }

  std::map<std::string, std::string> before_;
};

const ModeRequest slow_gpu{.mode = {{{"cpu_cores", 4}, {"gpu_mhz", 408}}}};

TEST_F(ModeDispatcherTest, AModeOfAUserStaysIsShownAndIsPutBackByAnother) {
  serve();
  EXPECT_EQ(with_desk([&](ModeDispatcher& dispatcher, BoardDevice& board) {
              const auto mode = dispatcher.set(slow_gpu);
              if (!mode) return fail(1, mode.error().message);
              if (mode->values.at("gpu_mhz") != 408) return 2;
              const std::string held = shown(board)["held_by"].dump();
              if (held.find("of user 65534") == std::string::npos ||
                  held.find("through the helper") == std::string::npos)
                return fail(3, held);
              return dispatcher.keep().ok() ? 0 : 4;
            }),
            0);
  EXPECT_EQ(gpu_max(), "408000000");
  EXPECT_EQ(with_desk(
                [&](ModeDispatcher&, BoardDevice& board) {
                  const auto json = shown(board);
                  if (json["kept"] != true || !json["held_by"].is_null()) return 1;
                  const std::string who = json["kept_by"].dump();
                  if (who.find("of user 65534") == std::string::npos ||
                      who.find(" at 20") == std::string::npos)
                    return fail(2, who);
                  const auto settings = restore_kept_modes(root(), socket());
                  if (!settings) return fail(3, settings.error().message);
                  if (*settings < 3 || shown(board)["kept"] != false) return 4;
                  return *restore_kept_modes(root(), socket()) == 0 ? 0 : 5;
                },
                {other_user, other_user, {socket_group}}),
            0);
  EXPECT_EQ(content(), before_);
  EXPECT_THAT(log(), HasSubstr("of user 65534 (group 65534) lets the board stay as it is"));
  EXPECT_THAT(log(), HasSubstr("of user 65533 (group 65533) had "));
}

TEST_F(ModeDispatcherTest, PresetsAndCapsAreSetByTheHelperAsByRoot) {
  std::map<std::string, std::map<std::string, std::string>> wanted;
  for (const ModeRequest& request : {ModeRequest{.preset = "15W"}, ModeRequest{.pin_max = true}}) {
    const auto board = open(tree_.journal());
    ASSERT_TRUE(set_mode(*board, root(), request).ok());
    wanted[request.preset] = content();
    ASSERT_TRUE(board->restore().ok());
    ASSERT_NE(wanted[request.preset], before_);
  }
  serve();
  for (const std::string preset : {"15W", ""})
    EXPECT_EQ(with_desk([&](ModeDispatcher& dispatcher, BoardDevice&) {
                const auto mode =
                    dispatcher.set({.mode = {}, .preset = preset, .pin_max = preset.empty()});
                if (!mode) return fail(1, mode.error().message);
                if (content() != wanted[preset]) return fail(2, gpu_max());
                if (const Status back = dispatcher.restore(); !back.ok())
                  return fail(3, back.error().message);
                return content() == before_ ? 0 : 4;
              }),
              0);
  EXPECT_THAT(log(), HasSubstr("set preset 15W"));
  EXPECT_THAT(log(), HasSubstr("set clocks to their caps"));
}

TEST_F(ModeDispatcherTest, WhatIsRefusedLeavesTheBoardAsItWas) {
  serve();
  EXPECT_EQ(with_desk([&](ModeDispatcher& dispatcher, BoardDevice&) {
              const auto unlisted = dispatcher.set({.mode = {{{"gpu_mhz", 409}}}});
              if (unlisted || unlisted.error().hint.find("408 and 510") == std::string::npos)
                return 1;
              const auto unknown = dispatcher.set({.preset = "900W"});
              if (unknown || unknown.error().hint.find("15W") == std::string::npos) return 2;
              return content() == before_ ? 0 : 3;
            }),
            0);
  RawClient holder(socket()), other(socket());
  holder.ask(R"({"flyball":1,"do":"claim"})");
  for (const char* what : {R"("preset","name":"15W"})", R"("pin_max"})", R"("restore_kept"})"})
    EXPECT_THAT(other.ask(std::string(R"({"flyball":1,"do":)") + what), HasSubstr("is held by"));
  for (const char* what : {R"("preset"})", R"("preset","name":7})", R"("preset","name":""})",
                           R"("pin_max","name":"15W"})", R"("preset","mode":{}})"})
    EXPECT_THAT(other.ask(std::string(R"({"flyball":1,"do":)") + what),
                HasSubstr("cannot read this message"))
        << what;
  EXPECT_EQ(content(), before_);
}

TEST_F(ModeDispatcherTest, AModeThatIsHeldGoesBackWhenItsUserIsKilled) {
  serve();
  EXPECT_EQ(with_desk([&](ModeDispatcher& dispatcher, BoardDevice&) {
              if (!dispatcher.set(slow_gpu).ok() || gpu_max() != "408000000") return 1;
              return ::kill(::getpid(), SIGKILL);
            }),
            -SIGKILL);
  EXPECT_TRUE(within_seconds_of_now(20, [&] { return content() == before_; }));
}

// Root's own mode is none of the user whom the helper served before.
TEST_F(ModeDispatcherTest, WhoKeptAModeIsSaidOfThatModeAlone) {
  serve();
  ASSERT_EQ(with_desk([&](ModeDispatcher& dispatcher, BoardDevice&) {
              return dispatcher.set(slow_gpu).ok() && dispatcher.keep().ok() ? 0 : 1;
            }),
            0);
  ASSERT_TRUE(restore_kept_by_helper(socket()).ok());
  {
    const auto board = open(tree_.journal());
    ASSERT_TRUE(set_mode(*board, root(), slow_gpu).ok() && board->keep().ok());
  }
  EXPECT_EQ(helper_of(root(), socket())->kept, "root, or an earlier helper");
}

// As where an administrator has opened one clock to all: no helper is needed for it.
TEST_F(ModeDispatcherTest, WhatThisUserMaySetIsSetWithoutAHelper) {
  const fs::path clock = root() / "sys/devices/platform/17000000.gpu/devfreq/17000000.gpu";
  for (const char* file : {"min_freq", "max_freq"})
    ASSERT_EQ(::chmod((clock / file).c_str(), 0666), 0);
  EXPECT_EQ(with_desk([&](ModeDispatcher& dispatcher, BoardDevice& board) {
              if (board.root_axes().empty()) return 1;
              const auto mode = dispatcher.set({.mode = {{{"gpu_mhz", 408}}}});
              if (!mode) return fail(2, mode.error().message);
              if (gpu_max() != "408000000") return fail(3, gpu_max());
              if (!dispatcher.restore().ok() || content() != before_) return 4;
              return dispatcher.set({.pin_max = true}).ok() ? 5 : 0;
            }),
            0);
  serve();
  const auto slower = [&](ModeDispatcher& dispatcher, BoardDevice&) {
    const auto mode = dispatcher.set({.mode = {{{"gpu_mhz", 408}}}});
    if (!mode && mode.error().code == Code::conflict)
      return mode.error().message.find("is held by") != std::string::npos ? 6 : 7;
    if (!mode) return fail(8, mode.error().message);
    if (gpu_max() != "408000000") return fail(9, gpu_max());
    return dispatcher.restore().ok() ? 0 : 10;
  };
  {
    RawClient holder(socket());  // has all of the board, this clock too
    ASSERT_THAT(holder.ask(R"({"flyball":1,"do":"claim"})"), HasSubstr("true"));
    EXPECT_EQ(with_desk(slower), 6);
    EXPECT_EQ(content(), before_);
    ASSERT_THAT(holder.ask(R"({"flyball":1,"do":"release"})"), HasSubstr("true"));
  }
  EXPECT_EQ(with_desk(slower), 0);
  EXPECT_EQ(content(), before_);
  // Who may not use the helper may write the clock all the same.
  EXPECT_EQ(with_desk(slower, {peer_user, peer_user, {wrong_group}}), 0);
}

TEST_F(ModeDispatcherTest, WithoutAHelperTheRemedyIsSaid) {
  EXPECT_EQ(with_desk([&](ModeDispatcher& dispatcher, BoardDevice&) {
              const auto refused = dispatcher.set(slow_gpu);
              if (refused || refused.error().code != Code::permission) return 1;
              if (refused.error().message.find("only root may set") == std::string::npos) return 2;
              return refused.error().hint.find("helper install") != std::string::npos ? 0 : 3;
            }),
            0);
  serve();
  EXPECT_EQ(with_desk(
                [&](ModeDispatcher& dispatcher, BoardDevice&) {
                  const auto refused = dispatcher.set(slow_gpu);
                  return !refused && refused.error().hint.find("usermod") != std::string::npos ? 0
                                                                                               : 1;
                },
                {peer_user, peer_user, {wrong_group}}),
            0);
}

}  // namespace
}  // namespace flyball
