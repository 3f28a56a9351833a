// What a user who may not set the board gets by the helper, through the same Device as root.
#include "device/helper/helper_device.h"

#include <gmock/gmock.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>

#include "device/helper/helper_testing.h"
#include "device/setting_script_testing.h"

namespace flyball {
namespace {

using testing::HasSubstr;

// Something has happened, which another process waits for.
class Signal {
 public:
  Signal() {
    if (::pipe(ends_) != 0) ADD_FAILURE() << "no pipe";
  }
  ~Signal() {
    for (const int end : ends_) ::close(end);
  }
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;
  void give() { EXPECT_EQ(::write(ends_[1], "x", 1), 1); }
  void wait() {
    pollfd ready{ends_[0], POLLIN, 0};
    char byte = 0;
    const bool happened = ::poll(&ready, 1, 20'000) == 1;
    EXPECT_TRUE(happened && ::read(ends_[0], &byte, 1) == 1) << "nothing has happened in 20 s";
  }

 private:
  int ends_[2] = {-1, -1};
};

class HelperDeviceTest : public HelperTest {
 protected:
  static bool has_axis(const Device& device, const char* name) {
    return find_axis(device.axes(), name) != nullptr;
  }
  static bool has_gap(const Device& device, const std::string& part) {
    return std::ranges::any_of(device.gap_texts(), [&](const std::string& gap) {
      return gap.find(part) != std::string::npos;
    });
  }
  // With the words of a failed step in the log of the test.
  static int fail(int number, const std::string& why) {
    fmt::print(stderr, "step {}: {}\n", number, why);
    return number;
  }
  void SetUp() override {
    HelperTest::SetUp();
    if (IsSkipped()) return;
    const auto state = folder() / fmt::format("state-{}", peer_user);
    ASSERT_EQ(::mkdir(state.c_str(), 0700), 0);
    ASSERT_EQ(::chown(state.c_str(), peer_user, peer_user), 0);
  }
};

TEST_F(HelperDeviceTest, SetsByTheHelperWhatOnlyRootMaySet) {
  start_helper();
  EXPECT_EQ(
      as_user({},
              [&] {
                const auto device = user_device();
                if (!has_axis(*device, "cpu_mhz") || !has_axis(*device, "cpu_cores")) return 1;
                if (!device->gaps().empty()) return fail(2, device->gaps()[0].text());
                if (device->baseline().values != Settings{{"cpu_cores", 2}, {"cpu_mhz", 2201.6}})
                  return 3;
                if (const Status set = device->apply({{{"cpu_cores", 1}, {"cpu_mhz", 729.6}}});
                    !set.ok())
                  return fail(4, set.error().message);
                if (tree_.get(1, "scaling_min_freq") != "729600") return 5;
                if (!device->still_set().ok()) return 6;
                if (!device->apply({{{"cpu_mhz", 1113.6}}}).ok()) return 7;
                if (tree_.get(0, "scaling_max_freq") != "1113600") return 8;
                const Status unlisted = device->apply({{{"cpu_mhz", 1000}}});
                if (unlisted.ok() || unlisted.error().hint.find("729.6") == std::string::npos)
                  return 9;
                if (const Status back = device->restore(); !back.ok())
                  return fail(10, back.error().message);
                return restored() ? 0 : 11;
              }),
      0);
  EXPECT_TRUE(restored());
}

TEST_F(HelperDeviceTest, AClockThatAnotherProgramRaisedIsSaid) {
  start_helper();
  Signal set, raised;
  TestProcess client({}, [&] {
    const auto device = user_device();
    const Status applied = device->apply({{{"cpu_cores", 2}, {"cpu_mhz", 729.6}}});
    if (!applied.ok()) return fail(1, applied.error().message);
    if (const Status stands = device->still_set(); !stands.ok())
      return fail(2, stands.error().message);
    set.give();
    raised.wait();
    const Status found = device->still_set();
    if (found.ok()) return 3;
    return found.error().message.find("cpu_mhz was set to 729.6, and is 2201.6 now") == 0
               ? 0
               : fail(4, found.error().message);
  });
  set.wait();
  for (const int core : {0, 1}) tree_.put(core, "scaling_max_freq", "2201600\n");
  raised.give();
  EXPECT_EQ(client.wait(), 0);
}

// As `mode idle --wait` beside a tune: the board is opened first, and measured once it is free.
TEST_F(HelperDeviceTest, CapsAreNotThoseOfTheClientBefore) {
  start_helper();
  EXPECT_EQ(as_user({},
                    [&] {
                      RawClient tune(socket());
                      const std::string set =
                          tune.ask(R"({"flyball":1,"do":"apply","mode":{"cpu_mhz":729.6}})");
                      if (set.find("true") == std::string::npos) return fail(1, set);
                      const auto device = user_device();
                      if (device->baseline().values.at("cpu_mhz") != 2201.6) return 2;
                      if (device->caps().values.at("cpu_mhz") != 729.6) return 3;
                      tune.ask(R"({"flyball":1,"do":"release"})");
                      return device->caps().values.at("cpu_mhz") == 2201.6 ? 0 : 4;
                    }),
            0);
}

TEST_F(HelperDeviceTest, TellsThatAClockDidNotRiseAgain) {
  start_helper(
      [this]() -> Result<std::unique_ptr<Device>> {
        static SettingScript script;
        script.only_down("scaling_max_freq");
        return std::unique_ptr<Device>(open_known_board(
            BoardIdentity(), {.root = tree_.root(), .journal = tree_.journal(), .files = &script}));
      },
      tree_.root());
  EXPECT_EQ(as_user({},
                    [&] {
                      const auto device = user_device();
                      const PowerMode high{{{"cpu_mhz", 2201.6}}};
                      if (const Status low = device->apply({{{"cpu_mhz", 729.6}}}); !low.ok())
                        return fail(1, low.error().message);
                      if (!device->out_of_reach(high).empty()) return 2;
                      if (device->apply(high).ok()) return 3;
                      const std::string why = device->out_of_reach(high);
                      return why.find("needs a reboot") != std::string::npos ? 0 : fail(4, why);
                    }),
            0);
}

TEST_F(HelperDeviceTest, ItsEndPutsBackBeforeTheNextOneAsks) {
  start_helper();
  EXPECT_EQ(as_user({},
                    [&] {
                      for (int round = 0; round < 20; ++round) {
                        const auto device = user_device();
                        if (const Status set = device->apply({{{"cpu_mhz", 729.6}}}); !set.ok())
                          return fail(1, set.error().message);
                      }
                      return restored() ? 0 : 2;
                    }),
            0);
}

TEST_F(HelperDeviceTest, WhatItsEndCouldNotPutBackIsToldOnce) {
  start_helper();
  Signal set, gone;
  TestProcess client({}, [&] {
    std::vector<Error> left;
    {
      const auto device = user_device([&](const Error& error) { left.push_back(error); });
      if (!device->apply({{{"cpu_mhz", 729.6}}}).ok()) return 1;
      set.give();
      gone.wait();
    }
    if (left.size() != 1) return fail(2, fmt::format("{} errors", left.size()));
    return left[0].message.find("could not be put back") != std::string::npos
               ? 0
               : fail(3, left[0].message);
  });
  set.wait();
  std::filesystem::remove(tree_.file(1, "scaling_max_freq"));
  gone.give();
  EXPECT_EQ(client.wait(), 0);
  tree_.put(1, "scaling_max_freq", "729600\n");
}

TEST_F(HelperDeviceTest, AModeIsKeptWhereItIsAskedFor) {
  start_helper();
  EXPECT_EQ(as_user({},
                    [&] {
                      const auto device = user_device();
                      if (!device->can_keep().ok() || !device->apply({{{"cpu_mhz", 729.6}}}).ok())
                        return 1;
                      return device->keep().ok() ? 0 : 2;
                    }),
            0);
  EXPECT_EQ(tree_.get(0, "scaling_max_freq"), "729600");
  EXPECT_FALSE(std::filesystem::exists(tree_.journal()));
}

TEST_F(HelperDeviceTest, TwoUsersDoNotHaveTheBoardAtOnce) {
  start_helper();
  RawClient holder(socket());
  ASSERT_THAT(holder.ask(R"({"flyball":1,"do":"claim"})"), HasSubstr("true"));
  EXPECT_EQ(
      as_user({},
              [&] {
                const auto device = user_device();
                const Status claimed = device->claim();
                if (claimed.ok() || claimed.error().code != Code::conflict) return 1;
                return claimed.error().message.find("held by process") != std::string::npos ? 0 : 2;
              }),
      0);
}

TEST_F(HelperDeviceTest, WhenTheHelperGoesTheTrialHearsOfIt) {
  start_helper();
  Signal ready, killed;
  TestProcess client({}, [&] {
    const auto device = user_device();
    if (!device->apply({{{"cpu_mhz", 729.6}}}).ok()) return 1;
    ready.give();
    killed.wait();
    const Status lost = device->still_set();
    if (lost.ok() || lost.error().message.find("helper has gone") == std::string::npos) return 2;
    // The next trial takes the board anew.
    if (const Status again = device->claim(); !again.ok()) return fail(3, again.error().message);
    return device->apply({{{"cpu_mhz", 1113.6}}}).ok() ? 0 : 4;
  });
  ready.wait();
  EXPECT_EQ(helper_.end(SIGKILL), -SIGKILL);
  start_helper();
  EXPECT_TRUE(restored());
  killed.give();
  EXPECT_EQ(client.wait(), 0);
  EXPECT_TRUE(soon_restored());
}

TEST_F(HelperDeviceTest, WithoutAHelperTheGapSaysHowToGetOne) {
  EXPECT_EQ(as_user({},
                    [&] {
                      const auto device = user_device();
                      return !has_axis(*device, "cpu_mhz") && has_axis(*device, "cpu_cores") &&
                                     device->gaps().size() == 1 &&
                                     has_gap(*device, "cpu_mhz cannot be set") &&
                                     has_gap(*device, "helper install")
                                 ? 0
                                 : 1;
                    }),
            0);
  EXPECT_THAT(rights_remedy(socket()), HasSubstr("helper install"));
}

TEST_F(HelperDeviceTest, AUserOutsideOfTheGroupIsToldToJoin) {
  start_helper();
  EXPECT_EQ(
      as_user(
          {peer_user, peer_user, {wrong_group}},
          [&] {
            const auto device = user_device();
            if (has_axis(*device, "cpu_mhz")) return 1;
            if (!has_gap(*device, "may not use the flyball helper") ||
                !has_gap(*device, "usermod -aG"))
              return 2;
            if (rights_remedy(socket()).find("usermod -aG flyball") == std::string::npos) return 3;
            return device->apply({{{"cpu_cores", 1}}}).ok() ? 0 : 4;  // its own knobs stay its own
          }),
      0);
}

TEST_F(HelperDeviceTest, AHelperOfAnotherBoardIsNotUsed) {
  start_helper();
  const BoardTree other;
  ASSERT_EQ(::chmod(other.root().parent_path().c_str(), 0711), 0);
  EXPECT_EQ(as_user({},
                    [&] {
                      HostOptions options = other.options();
                      options.journal = folder() / "state-65534/board.journal";
                      const auto device =
                          with_helper(*open_host(options), other.root(), {}, socket());
                      if (has_axis(*device, "cpu_mhz")) return 1;
                      return has_gap(*device, "sets the board below") ? 0 : 2;
                    }),
            0);
}

TEST_F(HelperDeviceTest, RootNeedsNoHelper) {
  start_helper();
  const auto device = user_device();
  ASSERT_TRUE(device->apply({{{"cpu_mhz", 729.6}}}).ok());
  EXPECT_THAT(log(), testing::Not(HasSubstr("has the board")));
}

TEST_F(HelperDeviceTest, ItsConnectionLivesWhileItHasTheBoard) {
  limits_.silent_s = 12;  // less than two beats of 10 s
  start_helper();
  EXPECT_EQ(as_user({},
                    [&] {
                      const auto device = user_device();
                      if (!device->apply({{{"cpu_mhz", 729.6}}}).ok()) return 1;
                      sleep_until_ns(monotonic_ns() + 13'000'000'000);
                      const Status held = device->still_set();
                      return held.ok() ? 0 : fail(2, held.error().message);
                    }),
            0);
  EXPECT_TRUE(restored());
}

}  // namespace
}  // namespace flyball
