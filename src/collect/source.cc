#include "collect/source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <vector>

#include "base/descriptor.h"
#include "base/files.h"
#include "sql/database.h"

extern char** environ;

namespace flyball {
namespace {

bool of_a_host(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || std::strchr(".-_@[]%:", c) != nullptr;
}

// One word for the shell there, whatever is in it.
std::string quoted(const std::string& text) {
  std::string word = "'";
  for (const char c : text) word += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return word + "'";
}

// Its output into a file; how it ended.
Result<int> run_into(const std::vector<std::string>& words, const std::filesystem::path& file) {
  const Descriptor output(
      ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR));
  if (output.get() < 0) return file_error("write", file, errno);
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, output.get(), STDOUT_FILENO);
  pid_t child = 0;
  const int failed = ::posix_spawnp(&child, argv[0], &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  if (failed != 0)
    return Error{Code::unavailable, fmt::format("cannot run {}: {}", words[0], ::strerror(failed)),
                 "install openssh-client, or copy the stores here and name the files"};
  int status = 0;
  while (::waitpid(child, &status, 0) < 0)
    if (errno != EINTR) return file_error("wait for", words[0], errno);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

}  // namespace

Result<std::optional<RemoteStore>> parse_remote(const std::string& source) {
  std::error_code ignored;
  const size_t bracket = source.starts_with('[') || source.find("@[") != std::string::npos
                             ? source.find(']')
                             : std::string::npos;
  const size_t colon = source.find(':', bracket == std::string::npos ? 0 : bracket);
  if (colon == std::string::npos || names_postgres(source) || source.find('/') < colon ||
      std::filesystem::exists(source, ignored))
    return std::optional<RemoteStore>();
  RemoteStore remote{source.substr(0, colon), source.substr(colon + 1)};
  if (remote.host.empty() || remote.host.starts_with('-') ||
      !std::ranges::all_of(remote.host, of_a_host))
    return Error{Code::invalid_argument, fmt::format("'{}' is no name of a host", remote.host),
                 "name a store as [USER@]HOST:PATH; a file whose name has a colon as ./FILE"};
  return std::optional(std::move(remote));
}

Result<FetchedStore> fetch_store(const std::string& source) {
  FLYBALL_ASSIGN(const auto remote, parse_remote(source));
  if (!remote) return FetchedStore{source, {}};
  FLYBALL_ASSIGN(TempFolder folder, TempFolder::make());
  const std::filesystem::path file = folder / "store.db";
  std::string command = "flyball runs export";
  if (!remote->path.empty()) command += " --store " + quoted(remote->path);
  FLYBALL_ASSIGN(const int code, run_into({"ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=15",
                                           "--", remote->host, command},
                                          file));
  if (code != 0)
    return Error{Code::unavailable,
                 fmt::format("{}: ssh or the flyball there ended with {}", source, code),
                 fmt::format("try `ssh {} flyball --version`: it needs a key (no password is asked "
                             "for) and flyball in the PATH of that shell",
                             remote->host)};
  return FetchedStore{file, std::move(folder)};
}

}  // namespace flyball
