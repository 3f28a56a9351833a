#include "broker/turn_sockets.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <atomic>
#include <cmath>
#include <cstring>
#include <fstream>
#include <thread>

#include "base/clock.h"
#include "base/os/temp_folder.h"
#include "broker/broker_testing.h"

namespace flyball {
namespace {

using ::testing::HasSubstr;

class TurnSocketsTest : public ::testing::Test {
 protected:
  std::filesystem::path folder_ =
      std::filesystem::path(::testing::TempDir()) / ("flyball-turns-" + std::to_string(::getpid()));
  std::filesystem::path path_ = folder_ / "broker.sock";
  void TearDown() override { std::filesystem::remove_all(folder_); }

  flyball_turns client(const char* name) const {
    flyball_turns turns = flyball_turns_init();
    turns.socket = path_.c_str();
    turns.name = name;
    turns.latency_s = 0;
    return turns;
  }
};

TEST_F(TurnSocketsTest, OnlyThisUserMayAskAndNothingIsLeft) {
  {
    const auto sockets = TurnSockets::listen(path_, {});
    ASSERT_TRUE(sockets.ok()) << sockets.error().message;
    struct stat there {};
    ASSERT_EQ(::stat(path_.c_str(), &there), 0);
    EXPECT_EQ(there.st_mode & 0777, 0600u);
    ASSERT_EQ(::stat(folder_.c_str(), &there), 0);
    EXPECT_EQ(there.st_mode & 0777, 0700u);
  }
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(TurnSocketsTest, AGroupMayBeLetIn) {
  const auto sockets = TurnSockets::listen(path_, ::getegid());
  ASSERT_TRUE(sockets.ok()) << sockets.error().message;
  struct stat there {};
  ASSERT_EQ(::stat(path_.c_str(), &there), 0);
  EXPECT_EQ(there.st_mode & 0777, 0660u);
}

TEST_F(TurnSocketsTest, AFolderThatTheGroupCannotEnterIsNamed) {
  std::filesystem::create_directory(folder_);
  std::filesystem::permissions(folder_, std::filesystem::perms::owner_all);
  const auto closed = TurnSockets::listen(path_, ::getegid());
  ASSERT_FALSE(closed.ok());
  EXPECT_EQ(closed.error().code, Code::permission);
  EXPECT_THAT(closed.error().hint, HasSubstr("chmod g+x " + folder_.string()));
  std::filesystem::permissions(folder_, std::filesystem::perms(0710));
  EXPECT_TRUE(TurnSockets::listen(path_, ::getegid()).ok());
}

// An earlier one without a group made it.
TEST_F(TurnSocketsTest, TheUsualFolderIsOpenedToAGroup) {
  ::setenv("FLYBALL_BROKER", path_.c_str(), 1);
  EXPECT_TRUE(TurnSockets::listen(path_, {}).ok());
  EXPECT_TRUE(TurnSockets::listen(path_, ::getegid()).ok());
  ::unsetenv("FLYBALL_BROKER");
  struct stat there {};
  ASSERT_EQ(::stat(folder_.c_str(), &there), 0);
  EXPECT_EQ(there.st_mode & 0777, 0750u);
}

// Where everybody may write, another user's link may lead to a folder of this one's.
TEST_F(TurnSocketsTest, NoFolderIsOpenedToAGroupThroughALink) {
  const std::filesystem::path target = folder_.string() + "-private";
  std::filesystem::create_directory(target);
  std::filesystem::permissions(target, std::filesystem::perms::owner_all);
  std::filesystem::create_directory_symlink(target, folder_);
  ::setenv("FLYBALL_BROKER", path_.c_str(), 1);
  EXPECT_FALSE(TurnSockets::listen(path_, ::getegid()).ok());
  ::unsetenv("FLYBALL_BROKER");
  EXPECT_EQ(std::filesystem::status(target).permissions(), std::filesystem::perms::owner_all);
  std::filesystem::remove_all(target);
}

TEST_F(TurnSocketsTest, ThereIsOneBrokerAtAPlaceAndADeadOneIsReplaced) {
  {
    const auto first = TurnSockets::listen(path_, {});
    ASSERT_TRUE(first.ok());
    const auto second = TurnSockets::listen(path_, {});
    ASSERT_FALSE(second.ok());
    EXPECT_EQ(second.error().code, Code::conflict);
    EXPECT_THAT(second.error().hint, HasSubstr("--socket"));
    std::filesystem::create_hard_link(path_, folder_ / "left");  // what a killed one leaves
  }
  std::filesystem::rename(folder_ / "left", path_);
  EXPECT_TRUE(TurnSockets::listen(path_, {}).ok());
}

TEST_F(TurnSocketsTest, OfSomeThatBeginAtOnceOneListens) {
  constexpr int brokers = 6;
  for (int round = 0; round < 50; ++round) {
    std::atomic<int> ready{0}, listening{0}, conflicts{0};
    const auto begin = [&] {
      ++ready;
      while (ready < brokers) std::this_thread::yield();
      const auto sockets = TurnSockets::listen(path_, {});
      ++(sockets.ok() ? listening : conflicts);
      EXPECT_TRUE(sockets.ok() || sockets.error().code == Code::conflict);
      while (listening + conflicts < brokers) std::this_thread::yield();
    };
    std::vector<std::thread> others;
    for (int i = 1; i < brokers; ++i) others.emplace_back(begin);
    begin();
    for (std::thread& other : others) other.join();
    ASSERT_EQ(listening, 1) << round;
    ASSERT_FALSE(std::filesystem::exists(path_));
  }
}

TEST_F(TurnSocketsTest, WhoIsAboutToListenHasThePlace) {
  std::filesystem::create_directories(folder_);
  const auto other = LockFile::take(path_.string() + ".lock", "a test");
  ASSERT_TRUE(other.ok());
  const auto refused = TurnSockets::listen(path_, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().code, Code::conflict);
  EXPECT_FALSE(std::filesystem::exists(path_));
}

TEST_F(TurnSocketsTest, ASocketThatAnotherOnePutThereStays) {
  {
    const auto first = TurnSockets::listen(path_, {});
    ASSERT_TRUE(first.ok());
    ASSERT_TRUE(listen_at(path_, {}).ok());  // replaces it
  }
  EXPECT_TRUE(std::filesystem::is_socket(path_));
}

TEST_F(TurnSocketsTest, WhatIsNoSocketStays) {
  std::filesystem::create_directories(folder_);
  std::ofstream(path_) << "precious";
  EXPECT_FALSE(TurnSockets::listen(path_, {}).ok());
  EXPECT_EQ(std::filesystem::file_size(path_), 8u);
}

TEST_F(TurnSocketsTest, TheSocketOfAnotherProgramStays) {
  std::filesystem::create_directories(folder_);
  const auto other = listen_at(path_, {}, SOCK_STREAM);
  ASSERT_TRUE(other.ok());
  const auto refused = TurnSockets::listen(path_, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_THAT(refused.error().message, HasSubstr("another program"));
  EXPECT_TRUE(std::filesystem::is_socket(path_));
}

TEST_F(TurnSocketsTest, ClientsComeByTheDoorUpToABound) {
  auto sockets = TurnSockets::listen(path_, {});
  ASSERT_TRUE(sockets.ok());
  RunningBroker broker({}, *std::move(sockets));
  broker.start();
  std::vector<flyball_turns> clients;
  for (size_t c = 0; c < most_turn_clients; ++c) {
    clients.push_back(client("many"));
    ASSERT_EQ(flyball_turn_begin(&clients.back()), 1) << c;
    flyball_turn_end(&clients.back());
  }
  flyball_turns one_more = client("more");
  EXPECT_EQ(flyball_turn_begin(&one_more), -1);
  EXPECT_EQ(errno, EUSERS);
  EXPECT_STREQ(flyball_turns_refusal(&one_more), "too many processes ask this broker for turns");
  flyball_turns_close(&clients.front());
  pass_ms(50);
  one_more.next = 0;
  EXPECT_EQ(flyball_turn_begin(&one_more), 1);
  flyball_turns_close(&one_more);
  for (flyball_turns& each : clients) flyball_turns_close(&each);
  EXPECT_EQ(client_named(broker.stop(), "many").turns, most_turn_clients);
}

// Each time that one that does not answer is asked, a step waits for it: so not once a second.
TEST_F(TurnSocketsTest, OneThatDoesNotWelcomeIsAskedAgainOnceAMinute) {
  std::filesystem::create_directories(folder_);
  flyball_turns waiting = client("a");
  const int listens = ::socket(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0);
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  std::strncpy(address.sun_path, waiting.socket, sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(listens, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(listens, 1), 0);
  const int64_t begin_ns = monotonic_ns();
  EXPECT_EQ(flyball_turn_begin(&waiting), -1);
  EXPECT_EQ(errno, EAGAIN);
  pass_ms(1500);
  for (int step = 0; step < 3; ++step) EXPECT_EQ(flyball_turn_begin(&waiting), -1);
  EXPECT_EQ(errno, ECONNREFUSED);
  EXPECT_LT(monotonic_ns() - begin_ns, 20'000'000'000) << "10 s for the first of them";
  ::close(listens);
}

// Numbers are written and read without the program's locale, which may want a comma.
TEST_F(TurnSocketsTest, WhatTheEnvironmentSaysIsRead) {
  const struct {
    const char* text;
    double latency_s, share;
  } cases[] = {{"0.25", -1, 0.25}, {"2", -1, 2},    {"100ms", 0.1, -1}, {"1.5s", 1.5, -1},
               {"0", -1, 0},       {"0ms", -1, -1}, {"soon", -1, -1},   {"2x", -1, -1},
               {"-1", -1, -1},     {"nan", -1, -1}, {"", 0, 1}};
  for (const auto& one : cases) {
    EXPECT_DOUBLE_EQ(flyball_turn_seconds_(one.text), one.latency_s) << one.text;
    EXPECT_DOUBLE_EQ(flyball_turn_share_(one.text), one.share) << one.text;
  }
  char text[32];
  for (const auto& [value, printed] :
       std::vector<std::pair<double, std::string>>{{0.1, "0.100000000"},
                                                   {86400, "86400.000000000"},
                                                   {-1, "-1"},
                                                   {NAN, "-1"},
                                                   {1e30, "-1"}}) {
    flyball_turn_print_(value, text);
    EXPECT_EQ(text, printed);
  }
}

TEST_F(TurnSocketsTest, WithoutABrokerAStepRunsWithoutATurn) {
  flyball_turns none = client("a");
  none.socket = nullptr;
  EXPECT_EQ(flyball_turn_begin(&none), 0);
  flyball_turn_end(&none);
  flyball_turns gone = client("a");
  EXPECT_EQ(flyball_turn_begin(&gone), -1);
  EXPECT_EQ(errno, ENOENT);
  EXPECT_EQ(flyball_turn_begin(&gone), -1);  // not tried again at once
  flyball_turn_end(&gone);
}

}  // namespace
}  // namespace flyball
