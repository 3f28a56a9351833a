// A server of PostgreSQL in a folder of its own, for tests and benchmarks: one that may be killed.
#pragma once

#include <fmt/format.h>
#include <pwd.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/os/temp_folder.h"
#include "sql/database.h"

namespace flyball {

class PostgresServer {
 public:
  /// Why there can be none here; "" where there can.
  static std::string missing() {
    if (programs().empty()) return "PostgreSQL is not installed (scripts/setup --all installs it)";
    if (::geteuid() == 0 && !::getpwnam("nobody")) return "there is no user nobody to run it as";
    return "";
  }

  /// `data`: where its data lie; "": in a folder of its own.
  explicit PostgresServer(std::filesystem::path data = {})
      : data_(data.empty() ? folder_ / "data" : std::move(data)) {
    std::filesystem::create_directories(data_);
    if (const passwd* nobody = ::geteuid() == 0 ? ::getpwnam("nobody") : nullptr) {
      user_ = nobody->pw_uid;
      for (const auto& path : {folder_.path(), data_})
        static_cast<void>(::chown(path.c_str(), nobody->pw_uid, nobody->pw_gid));
    }
    wait_for(spawn({programs() / "initdb", "-D", data_, "-U", "owner", "-A", "trust", "--no-sync",
                    "-E", "UTF8", "--locale=C"}));
    start();
    wait_for(spawn({programs() / "createdb", "-h", folder_.path(), "-U", "owner", "fleet"}));
  }
  PostgresServer(const PostgresServer&) = delete;
  ~PostgresServer() { stop(SIGQUIT); }

  std::string place(const std::string& user = "owner") const {
    std::string host;
    for (const char c : folder_.path().string()) host += c == '/' ? "%2F" : std::string(1, c);
    return fmt::format("postgresql:///fleet?host={}&user={}", host, user);
  }

  /// Until it answers. After a kill its children hold on to its memory for a moment.
  bool start() {
    for (const Stopwatch waited; waited.seconds() < 60;) {
      if (server_ == 0 || ::waitpid(server_, nullptr, WNOHANG) == server_)
        server_ = spawn({programs() / "postgres", "-D", data_, "-k", folder_.path(), "-c",
                         "listen_addresses=", "-c", "max_connections=64", "-c",
                         "shared_buffers=256MB", "-c", "max_wal_size=4GB"});
      sleep_until_ns(monotonic_ns() + 100'000'000);
      if (wait_for(spawn({programs() / "pg_isready", "-q", "-h", folder_.path()})) == 0)
        return true;
    }
    return false;
  }
  void kill() { stop(SIGKILL); }

  /// A statement, as its owner.
  Status run(const std::string& sql) {
    FLYBALL_ASSIGN(Database database, Database::connect(place(), false));
    return database.run_script(sql.c_str());
  }

  /// Where initdb and postgres are; "" for nowhere.
  static std::filesystem::path programs() {
    std::filesystem::path newest;
    std::error_code ignored;
    for (const auto& entry : std::filesystem::directory_iterator("/usr/lib/postgresql", ignored))
      if (std::filesystem::exists(entry.path() / "bin/postgres", ignored) &&
          entry.path() / "bin" > newest)
        newest = entry.path() / "bin";
    return newest;
  }

 private:
  // Root may not run it.
  pid_t spawn(const std::vector<std::string>& words) const {
    const pid_t child = ::fork();
    if (child != 0) return child;
    if (user_ && (::setgid(*user_) != 0 || ::setuid(*user_) != 0)) ::_exit(126);
    if (::chdir("/") != 0 || !std::freopen((folder_ / "log").c_str(), "a", stderr)) ::_exit(126);
    if (::dup2(STDERR_FILENO, STDOUT_FILENO) < 0) ::_exit(126);
    std::vector<char*> argv;
    for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
    argv.push_back(nullptr);
    ::execv(argv[0], argv.data());
    ::_exit(127);
  }
  static int wait_for(pid_t child) {
    int status = -1;
    ::waitpid(child, &status, 0);
    return status;
  }
  void stop(int signal) {
    if (server_ == 0) return;
    ::kill(server_, signal);
    wait_for(server_);
    server_ = 0;
  }

  TempFolder folder_;
  std::filesystem::path data_;
  std::optional<uid_t> user_;
  pid_t server_ = 0;
};

}  // namespace flyball
