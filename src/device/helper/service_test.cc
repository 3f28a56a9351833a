// How the helper gets its socket, and which it refuses.
#include "device/helper/service.h"

#include <gmock/gmock.h>

#include "device/helper/helper_testing.h"

namespace flyball {
namespace {

using testing::HasSubstr;

class HelperServiceTest : public HelperTest {
 protected:
  HelperService service() {
    HelperService service;
    service.open = [this] { return open_host(tree_.options()); };
    service.root = tree_.root();
    service.socket = socket();
    service.group = "root";
    service.log = [this](const std::string& text) {
      const int log = ::open((folder() / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
      (void)!::write(log, (text + "\n").data(), text.size() + 1);
      ::close(log);
    };
    return service;
  }
  // Runs it in a process: 0 fine, else the code of its error + 10, its message in the log.
  TestProcess run(const std::function<void()>& prepare) {
    return TestProcess([this, prepare] {
      ::setenv("FLYBALL_STATE", tree_.state().c_str(), 1);
      ::setenv("FLYBALL_SESSIONS", (folder() / "measuring/sessions").c_str(), 1);
      prepare();
      catch_interrupts();
      const Status ended = run_helper(service(), interrupt_flag());
      if (ended.ok()) return 0;
      service().log(ended.error().message);
      return 10 + static_cast<int>(ended.error().code);
    });
  }
  // As systemd does it: descriptor 3, and two variables. It may be descriptor 3 already.
  static void hand_over(OwnedSocket listening) {
    static OwnedSocket kept;
    kept = std::move(listening);
    ::dup2(kept.get(), 3);
    ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
    ::setenv("LISTEN_FDS", "1", 1);
  }
  static int failed(Code code) { return 10 + static_cast<int>(code); }
  bool answers() { return RawClient(socket()).connected(); }
};

TEST_F(HelperServiceTest, ServesASocketThatSystemdHandsOver) {
  TestProcess helper = run([this] { hand_over(*listen_at(socket(), socket_group)); });
  ASSERT_TRUE(within_seconds_of_now(10, [&] { return answers(); })) << log();
  EXPECT_EQ(as_user({},
                    [&] {
                      RawClient client(socket());
                      return client.ask(R"({"flyball":1,"do":"apply","mode":{"cpu_mhz":729.6}})") ==
                                     R"({"flyball":1,"ok":true})"
                                 ? 0
                                 : 1;
                    }),
            0);
  EXPECT_TRUE(soon_restored());
  EXPECT_EQ(helper.end(SIGTERM), 0);
  EXPECT_TRUE(std::filesystem::exists(socket()));  // it belongs to systemd
}

TEST_F(HelperServiceTest, WhatIsHandedOverMustBeItsSocket) {
  for (const char* count : {"2", "0", "x"})
    EXPECT_EQ(run([count] {
                ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
                ::setenv("LISTEN_FDS", count, 1);
              }).wait(),
              failed(Code::invalid_argument));
  EXPECT_EQ(run([] {
              ::dup2(::open("/dev/null", O_RDONLY), 3);
              ::setenv("LISTEN_PID", std::to_string(::getpid()).c_str(), 1);
              ::setenv("LISTEN_FDS", "1", 1);
            }).wait(),
            failed(Code::invalid_argument));
  EXPECT_THAT(log(), HasSubstr("no listening Unix socket"));
}

TEST_F(HelperServiceTest, ASocketForEverybodyIsNotServed) {
  EXPECT_EQ(run([this] {
              auto listening = *listen_at(socket(), socket_group);
              ::chmod(socket().c_str(), 0666);
              hand_over(std::move(listening));
            }).wait(),
            failed(Code::permission));
  EXPECT_THAT(log(), HasSubstr("every user may connect"));
}

TEST_F(HelperServiceTest, MakesItsOwnSocketAndOneHelperIsEnough) {
  TestProcess helper = run([] {});  // variables of another process are not for it
  ASSERT_TRUE(within_seconds_of_now(10, [&] { return answers(); })) << log();
  struct stat file {};
  ASSERT_EQ(::stat(socket().c_str(), &file), 0);
  EXPECT_EQ(file.st_mode & 07777, 0660u);
  EXPECT_EQ(file.st_uid, 0u);
  EXPECT_EQ(run([] {}).wait(), failed(Code::conflict));
  EXPECT_THAT(log(), HasSubstr(fmt::format("held by process {}", helper.pid())));
  // One that was killed leaves its socket, which the next one replaces.
  EXPECT_EQ(helper.end(SIGKILL), -SIGKILL);
  EXPECT_TRUE(std::filesystem::exists(socket()));
  helper = run([] {});
  ASSERT_TRUE(within_seconds_of_now(10, [&] { return answers(); })) << log();
  EXPECT_EQ(helper.end(SIGTERM), 0);
  EXPECT_FALSE(std::filesystem::exists(socket()));
}

TEST_F(HelperServiceTest, AFileInTheWayStays) {
  ASSERT_TRUE(write_file(socket(), "not a socket").ok());
  EXPECT_EQ(run([] {}).wait(), failed(Code::io));
  EXPECT_EQ(*read_file(socket()), "not a socket");
}

TEST_F(HelperServiceTest, RunsAsRootOnly) {
  EXPECT_EQ(as_user({},
                    [&] {
                      const Status ended = run_helper(service(), interrupt_flag());
                      return !ended.ok() && ended.error().code == Code::permission ? 0 : 1;
                    }),
            0);
}

}  // namespace
}  // namespace flyball
