// A helper in a process of its own, over a tree, and clients that are other users.
#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "base/clock_testing.h"
#include "base/os/interrupt.h"
#include "device/helper/helper_device.h"
#include "device/helper/service.h"
#include "device/host/board_tree_testing.h"

namespace flyball {

constexpr uid_t peer_user = 65534, other_user = 65533;
constexpr gid_t socket_group = 61234, wrong_group = 61235;

/// Who a client is.
struct TestUser {
  uid_t uid = peer_user;
  gid_t gid = peer_user;
  std::vector<gid_t> groups = {socket_group};
};

/// A process; killed with its owner.
class TestProcess {
 public:
  TestProcess() = default;
  explicit TestProcess(const std::function<int()>& act) : pid_(::fork()) {
    if (pid_ == 0) ::_exit(act());
  }
  TestProcess(const TestUser& user, const std::function<int()>& act)
      : TestProcess([&] {
          if (::setgroups(user.groups.size(), user.groups.data()) != 0 || ::setgid(user.gid) != 0 ||
              ::setuid(user.uid) != 0)
            return 98;
          return act();
        }) {}
  TestProcess(TestProcess&& other) noexcept : pid_(std::exchange(other.pid_, 0)) {}
  TestProcess& operator=(TestProcess&& other) noexcept {
    std::swap(pid_, other.pid_);
    return *this;
  }
  ~TestProcess() {
    if (pid_ > 0) end(SIGKILL);
  }
  pid_t pid() const { return pid_; }
  /// Its exit code, or minus the signal that ended it.
  int wait() {
    int status = 0;
    ::waitpid(std::exchange(pid_, 0), &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status);
  }
  int end(int signal) {
    ::kill(pid_, signal);
    return wait();
  }

 private:
  pid_t pid_ = 0;
};

/// A raw connection: says what flyball never would.
class RawClient {
 public:
  explicit RawClient(const std::filesystem::path& path) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    path.string().copy(address.sun_path, sizeof address.sun_path - 1);
    fd_ = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
    connected_ = ::connect(fd_, reinterpret_cast<sockaddr*>(&address), sizeof address) == 0;
    const timeval limit{10, 0};
    ::setsockopt(fd_, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }
  ~RawClient() { ::close(fd_); }
  RawClient(const RawClient&) = delete;
  RawClient& operator=(const RawClient&) = delete;

  bool connected() const { return connected_; }
  void say(const std::string& text) { (void)!::send(fd_, text.data(), text.size(), MSG_NOSIGNAL); }
  /// Everything up to the next line end, or to the end of the connection.
  std::string hear() {
    std::string line;
    for (char byte = 0; ::recv(fd_, &byte, 1, 0) == 1 && byte != '\n';) line += byte;
    return line;
  }
  std::string ask(const std::string& text) {
    say(text + "\n");
    return hear();
  }
  bool hung_up() {
    char byte = 0;
    return ::recv(fd_, &byte, 1, 0) <= 0 && errno != EAGAIN;
  }

 private:
  int fd_ = -1;
  bool connected_ = false;
};

class HelperTest : public testing::Test {
 protected:
  void SetUp() override {
    if (::geteuid() != 0) GTEST_SKIP() << "a helper runs as root, and these tests do not";
    ASSERT_EQ(::chmod(folder().c_str(), 0711), 0);  // TempFolder is for its owner alone
    ASSERT_TRUE(write_file(folder() / "etc/group", "flyball:x:61234:\n").ok());
    limits_.clients_of_user = 3;
    limits_.clients = 4;
  }
  std::filesystem::path folder() const { return tree_.root().parent_path(); }
  std::filesystem::path socket() const { return folder() / "helper.sock"; }
  std::string log() const {
    const auto text = read_file(folder() / "log");
    return text ? *text : "";
  }

  /// Serves the tree until it is ended; 0 when it ended well.
  void start_helper() {
    start_helper([this] { return open_host(tree_.options()); }, tree_.root());
  }
  void start_helper(const HelperDispatcher::Open& open, const std::filesystem::path& root,
                    const HelperModes& modes = {}) {
    helper_ = TestProcess([&] {
      ::setenv("FLYBALL_STATE", tree_.state().c_str(), 1);
      const int log = ::open((folder() / "log").c_str(), O_WRONLY | O_CREAT | O_APPEND, 0600);
      const auto note = [log](const std::string& text) {
        (void)!::write(log, (text + "\n").data(), text.size() + 1);
      };
      catch_interrupts();
      HelperDispatcher dispatcher(open, root, note, modes);
      // Whoever is answered finds what an earlier one left put back.
      if (!recover_settings(tree_.journal()).ok()) return 97;
      auto listening = listen_at(socket(), socket_group);
      if (!listening) return 95;
      return serve_helper(*listening, dispatcher, limits_, interrupt_flag(), note).ok() ? 0 : 96;
    });
    ASSERT_TRUE(within_seconds_of_now(10, [&] { return RawClient(socket()).connected(); }))
        << log();
  }
  bool restored() { return tree_.content() == start_; }
  bool soon_restored() {
    return within_seconds_of_now(10, [&] { return restored(); });
  }

  /// The knobs of a user: its own, with the helper where that is needed.
  std::unique_ptr<Device> user_device(ReportLeft left = {}) {
    HostOptions options = tree_.options();
    const auto own_state = folder() / fmt::format("state-{}", ::geteuid());
    options.journal = own_state / "board.journal";
    auto own = open_host(options);
    return with_helper(*std::move(own), tree_.root(), std::move(left), socket());
  }
  /// What a user does, as a process of this user; 0 is what tests expect.
  int as_user(const TestUser& user, const std::function<int()>& act) {
    return TestProcess(user, act).wait();
  }

  BoardTree tree_;
  const std::map<std::string, std::string> start_ = tree_.content();
  HelperLimits limits_;
  TestProcess helper_;
};

}  // namespace flyball
