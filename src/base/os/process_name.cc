#include "base/os/process_name.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/files.h"

namespace flyball {

std::string command_of(int pid) {
  const auto text = read_file(fmt::format("/proc/{}/cmdline", pid), 1 << 20);
  std::string command = text ? *text : "";
  while (!command.empty() && command.back() == '\0') command.pop_back();
  std::ranges::replace_if(
      command, [](char c) { return static_cast<unsigned char>(c) < ' '; }, ' ');
  if (command.size() > 120) command = command.substr(0, 117) + "…";
  return command;
}

}  // namespace flyball
