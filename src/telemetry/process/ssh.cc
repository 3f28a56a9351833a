#include "telemetry/process/ssh.h"

#include "base/text.h"
#include "telemetry/process/spawn.h"

namespace flyball {

Result<std::vector<std::string>> ssh_words() {
  const std::filesystem::path ssh = found_on_path("ssh");
  if (ssh.empty())
    return Error{Code::unavailable, "there is no ssh on this machine", "install openssh-client"};
  std::vector<std::string> words = {ssh.string()};
  for (const char* option :
       {"BatchMode=yes", "ConnectTimeout=15", "ServerAliveInterval=15", "ServerAliveCountMax=4"})
    words.insert(words.end(), {"-o", option});
  return words;
}

std::string store_export_command(const std::string& program, const std::string& store) {
  return program + " runs export" + (store.empty() ? "" : " --store " + shell_word(store));
}

}  // namespace flyball
