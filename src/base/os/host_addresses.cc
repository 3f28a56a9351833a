#include "base/os/host_addresses.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>

#include "base/files.h"
#include "base/lower.h"
#include "base/os/tool_process.h"
#include "base/text.h"

namespace flyball {
namespace {

bool is_address(const std::string& text) {
  std::array<unsigned char, sizeof(in6_addr)> bytes{};
  const std::string plain = text.substr(0, text.find('%'));  // fe80::1%eth0
  return ::inet_pton(AF_INET, text.c_str(), bytes.data()) == 1 ||
         ::inet_pton(AF_INET6, plain.c_str(), bytes.data()) == 1;
}

bool is_host_name(const std::string& text) {
  return !text.empty() && text.size() < 256 && text.front() != '-' &&
         std::ranges::all_of(text, [](char c) {
           return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
                  c == '-' || c == '_' || c == '.';
         });
}

std::vector<std::string> words_of(const std::string& line) {
  std::string text = line.substr(0, line.find('#'));
  std::ranges::replace(text, '\t', ' ');
  std::vector<std::string> words = split(text, ' ');
  std::erase(words, "");
  return words;
}

void add_once(std::vector<std::string>& addresses, const std::string& address) {
  if (is_address(address) && std::ranges::find(addresses, address) == addresses.end())
    addresses.push_back(address);
}

// Lines "127.0.0.1 localhost loopback".
std::vector<std::string> from_file(const std::string& text, const std::string& host) {
  std::vector<std::string> found;
  for (const std::string& line : split(text, '\n')) {
    const std::vector<std::string> words = words_of(line);
    for (size_t i = 1; i < words.size(); ++i)
      if (lower(words[i]) == lower(host)) add_once(found, words[0]);
  }
  return found;
}

// Lines "127.0.0.1       STREAM localhost", one for each kind of socket.
std::vector<std::string> from_getent(const std::string& text) {
  std::vector<std::string> found;
  for (const std::string& line : split(text, '\n'))
    if (const std::vector<std::string> words = words_of(line); !words.empty())
      add_once(found, words[0]);
  return found;
}

}  // namespace

std::string host_name() {
  std::array<char, 256> host{};
  ::gethostname(host.data(), host.size() - 1);
  return host.data();
}

Result<std::vector<std::string>> host_addresses(const std::string& host,
                                                const HostSources& sources) {
  if (is_address(host)) return std::vector{host};
  std::vector<std::string> found;
  std::error_code ignored;
  if (is_host_name(host) && std::filesystem::exists(sources.getent, ignored)) {
    const auto answer = run_tool(sources.getent, {"ahosts", host}, sources.limit_s);
    if (answer) found = from_getent(*answer);
    if (!answer && answer.error().code == Code::io)
      return Error{Code::unavailable, answer.error().message,
                   "the server of names may be out of reach; an address needs none"};
  }
  if (const auto text = read_file(sources.hosts, 1 << 20); text && found.empty())
    found = from_file(*text, host);
  if (found.empty() && lower(host) == "localhost") found = {"127.0.0.1", "::1"};
  if (!found.empty()) return found;
  return Error{Code::not_found, fmt::format("there is no host '{}'", host),
               "is the name right? 127.0.0.1 is this machine"};
}

}  // namespace flyball
