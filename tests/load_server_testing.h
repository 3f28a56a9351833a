// The server of tests/support/load_server.py, whose service times are known.
#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <string>
#include <vector>

namespace flyball::testing_tools {

inline constexpr const char* load_server = FLYBALL_SOURCE_DIR "/tests/support/load_server.py";

class LoadServer {
 public:
  explicit LoadServer(std::vector<std::string> arguments = {}) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    arguments.insert(arguments.begin(), {"python3", load_server});
    process_ = ::fork();
    if (process_ == 0) {
      ::dup2(ends[1], STDOUT_FILENO);
      std::vector<char*> argv;
      for (std::string& word : arguments) argv.push_back(word.data());
      argv.push_back(nullptr);
      ::execvp(argv[0], argv.data());
      ::_exit(127);
    }
    ::close(ends[1]);
    pollfd out{ends[0], POLLIN, 0};
    for (char next = 0;
         ::poll(&out, 1, 60'000) > 0 && ::read(ends[0], &next, 1) == 1 && next != '\n';)
      port_ += next;
    ::close(ends[0]);
  }
  ~LoadServer() {
    ::kill(process_, SIGKILL);
    ::waitpid(process_, nullptr, 0);
  }
  LoadServer(const LoadServer&) = delete;
  LoadServer& operator=(const LoadServer&) = delete;

  std::string url(const std::string& path) const { return "http://127.0.0.1:" + port_ + path; }

 private:
  pid_t process_ = -1;
  std::string port_;
};

}  // namespace flyball::testing_tools
