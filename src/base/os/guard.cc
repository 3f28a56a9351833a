#include "base/os/guard.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <mutex>

extern char** environ;

namespace flyball {
namespace {

// Reads what we say until we are gone. It has its own process group, so that Ctrl-C in a terminal
// does not reach it, and holds no output of ours.
constexpr const char* script = R"(
trap '' HUP INT QUIT TERM TSTP
exec 3<&- 4<&- 5<&- 6<&- 7<&- 8<&- 9<&-
groups= journal=
while read -r what value; do
  case $what in
    +) groups="$groups $value" ;;
    -) kept=
       for group in $groups; do [ "$group" = "$value" ] || kept="$kept $group"; done
       groups=$kept ;;
    journal) journal=$value ;;
  esac
done
living() { for group in $groups; do kill -0 -"$group" && return 0; done; return 1; }
for group in $groups; do kill -TERM -"$group"; done
round=0
while [ $round -lt 20 ] && living; do sleep 0.1; round=$((round + 1)); done
for group in $groups; do kill -KILL -"$group"; done
[ -n "$journal" ] && [ $# -gt 0 ] || exit 0
# Our ears close before all of the process is gone: while its locks are held, nothing can be put back.
round=0
while [ -e "$journal" ] && [ $round -lt 10 ]; do
  [ $round -eq 0 ] || sleep 0.2
  "$@"
  round=$((round + 1))
done
)";

std::mutex starting;
std::vector<std::string> restorer;
// Our end of its ears. The guard of a process that was forked from ours is not this one.
std::atomic<int> ears{-1};
std::atomic<pid_t> owner{0};
static_assert(std::atomic<int>::is_always_lock_free);

// Async-signal-safe. Never waits and never raises SIGPIPE; a guard that is gone hears nothing.
void tell(const char* text, size_t size) {
  if (owner.load() != 0) (void)!::send(ears.load(), text, size, MSG_NOSIGNAL | MSG_DONTWAIT);
}

void tell(const std::string& text) {
  tell(text.data(), text.size());
}

bool spawn_shell(int ear) {
  std::vector<std::string> words = {"/bin/sh", "-c", script, "flyball-guard"};
  words.insert(words.end(), restorer.begin(), restorer.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ear, 0);
  posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
  posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const int failure = ::posix_spawn(&pid, argv[0], &actions, &attributes, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  posix_spawnattr_destroy(&attributes);
  return failure == 0;
}

}  // namespace

void Guard::set_restorer(std::vector<std::string> command) {
  const std::lock_guard lock(starting);
  restorer = std::move(command);
}

void Guard::start() {
  const std::lock_guard lock(starting);
  if (owner.load() == ::getpid()) return;
  if (owner.exchange(0) != 0) ::close(ears.exchange(-1));
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return;
  const bool started = spawn_shell(ends[1]);
  ::close(ends[1]);
  if (!started) {
    ::close(ends[0]);
    return;
  }
  ears = ends[0];
  owner = ::getpid();
}

void Guard::announce_this_group() {
  char text[24];
  char* const end = text + sizeof text;
  char* at = end;
  *--at = '\n';
  for (pid_t left = ::getpid(); left > 0; left /= 10) *--at = static_cast<char>('0' + left % 10);
  *--at = ' ';
  *--at = '+';
  tell(at, static_cast<size_t>(end - at));
}

void Guard::forget(pid_t group) {
  tell(fmt::format("- {}\n", group));
}

void Guard::watch_journal(const std::filesystem::path& journal) {
  tell(fmt::format("journal {}\n", std::filesystem::absolute(journal).string()));
}

}  // namespace flyball
