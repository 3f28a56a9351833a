#include "device/doctor/secrets.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cstdlib>
#include <utility>

#include "base/files.h"
#include "base/folder_entries.h"
#include "base/json.h"
#include "base/lower.h"
#include "base/os/accounts.h"
#include "base/text.h"

extern char** environ;

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr size_t least_serial = 4, least_name = 3, least_token = 6, long_token = 12;

// AUTH_METHOD=network is a word of the language; a password may be one, too.
bool is_token(const std::string& word, const std::string& value) {
  if (word == "passw" || word == "secret") return value.size() >= least_token;
  const bool digit = std::ranges::any_of(value, [](char c) { return c >= '0' && c <= '9'; });
  return value.size() >= (digit ? least_token : long_token);
}

// Names that images and boards come with: they tell nobody from anybody, and stand in texts that a
// bundle needs.
const std::vector<std::string>& delivered_names() {
  static const std::vector<std::string> names = {
      "root",      "nvidia",          "jetson",    "tegra", "tegra-ubuntu",
      "ubuntu",    "debian",          "linux",     "user",  "pi",
      "raspberry", "raspberrypi",     "localhost", "host",  "board",
      "orin",      "xavier",          "nano",      "agx",   "thor",
      "nobody",    "jetson-orin-nano"};
  return names;
}

std::string file_text(const fs::path& file) {
  const auto text = read_file(file, size_t{1} << 16);
  if (!text) return "";
  return std::string(trim(text->c_str()));  // device tree texts end with a zero byte
}

bool is_word_character(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0;
}
// Of names: "max" is no part of "scaling_max_freq".
bool is_name_character(char c) {
  return is_word_character(c) || c == '_' || c == '-';
}
bool is_hex(char c) {
  return std::isxdigit(static_cast<unsigned char>(c)) != 0;
}
bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

// A serial number that is all zeros, or a maker's filler, is none.
bool tells_something(const std::string& value) {
  const std::string small = lower(value);
  for (const char* filler :
       {"default string", "to be filled", "not specified", "none", "unknown", "system serial"})
    if (small.find(filler) != std::string::npos) return false;
  return small.find_first_not_of("0 -.x") != std::string::npos;
}

class Finder {
 public:
  explicit Finder(fs::path root) : root_(std::move(root)) {}

  void serial(const std::string& value) {
    if (value.size() >= least_serial && tells_something(value)) add("serial", value);
  }
  void name(const char* kind, const std::string& value) {
    if (value.size() >= least_name && std::ranges::count(delivered_names(), lower(value)) == 0)
      add(kind, value);
  }
  void add(const char* kind, const std::string& value) {
    const bool known =
        std::ranges::any_of(secrets_, [&](const Secret& secret) { return secret.value == value; });
    if (!value.empty() && !known) secrets_.push_back({kind, value});
  }

  void find_serials() {
    for (const char* file :
         {"proc/device-tree/serial-number", "sys/firmware/devicetree/base/serial-number",
          "sys/class/dmi/id/product_serial", "sys/class/dmi/id/board_serial",
          "sys/class/dmi/id/chassis_serial", "sys/devices/soc0/serial_number",
          "sys/module/tegra_fuse/parameters/tegra_chip_uid"})
      serial(file_text(root_ / file));
    for (const fs::path& disk : folder_entries(root_ / "sys/block"))
      for (const char* file : {"device/serial", "device/cid", "serial", "device/wwid", "wwid"})
        serial(file_text(disk / file));
    const auto cpuinfo = read_file(root_ / "proc/cpuinfo", size_t{1} << 24);
    if (!cpuinfo) return;
    for (const std::string& line : split(*cpuinfo, '\n'))
      if (const size_t colon = line.find(':');
          line.starts_with("Serial") && colon != std::string::npos)
        serial(std::string(trim(line.substr(colon + 1))));
  }

  void find_names() {
    for (const char* file : {"etc/machine-id", "var/lib/dbus/machine-id",
                             "proc/sys/kernel/random/boot_id", "sys/class/dmi/id/product_uuid"})
      if (const std::string id = file_text(root_ / file); tells_something(id))
        add("machine-id", id);
    for (const char* file : {"etc/hostname", "proc/sys/kernel/hostname"})
      name("host", file_text(root_ / file));
    for (const fs::path& home : folder_entries(root_ / "home"))
      name("user", home.filename().string());
    for (const fs::path& card : folder_entries(root_ / "sys/class/net"))
      if (const std::string mac = file_text(card / "address");
          tells_something(mac) && mac.find_first_not_of("0:") != std::string::npos)
        add("mac", mac);
  }

  void find_own() {
    std::array<char, 256> host{};
    if (::gethostname(host.data(), host.size() - 1) == 0) name("host", host.data());
    for (const uid_t user : {::getuid(), ::geteuid()})
      if (const auto called = name_of_user(user)) name("user", *called);
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
      const std::string text = *entry;
      const size_t equals = text.find('=');
      if (equals == std::string::npos) continue;
      const std::string key = lower(text.substr(0, equals)), value = text.substr(equals + 1);
      for (const char* kind : {"user", "logname", "sudo_user"})
        if (key == kind) name("user", value);
      for (const char* word : {"token", "secret", "passw", "key", "credential", "auth"})
        if (key.find(word) != std::string::npos && is_token(word, value)) {
          add("token", value);
          break;
        }
    }
  }

  std::vector<Secret> take() { return std::move(secrets_); }

 private:
  fs::path root_;
  std::vector<Secret> secrets_;
};

// Each of these says how long the secret is that begins at `at`; 0: none does.
using Pattern = size_t (*)(std::string_view text, size_t at);

size_t mac_at(std::string_view text, size_t at) {
  constexpr size_t size = 17;
  if (at + size > text.size()) return 0;
  const char between = text[at + 2];
  if (between != ':' && between != '-') return 0;
  for (size_t i = 0; i < size; ++i)
    if (i % 3 == 2 ? text[at + i] != between : !is_hex(text[at + i])) return 0;
  const size_t end = at + size;
  return end < text.size() && (is_word_character(text[end]) || text[end] == between) ? 0 : size;
}

size_t ipv4_at(std::string_view text, size_t at) {
  size_t place = at;
  for (int group = 0; group < 4; ++group) {
    if (group > 0 && (place >= text.size() || text[place++] != '.')) return 0;
    const size_t first = place;
    int value = 0;
    while (place < text.size() && is_digit(text[place]) && place - first < 4)
      value = value * 10 + (text[place++] - '0');
    if (place == first || place - first > 3 || value > 255) return 0;
  }
  const bool goes_on =
      place < text.size() &&
      (is_word_character(text[place]) ||
       (text[place] == '.' && place + 1 < text.size() && is_digit(text[place + 1])));
  return goes_on ? 0 : place - at;
}

size_t ipv6_at(std::string_view text, size_t at) {
  size_t place = at, colons = 0, digits = 0, longest = 0, run = 0;
  while (place < text.size() && (is_hex(text[place]) || text[place] == ':')) {
    if (text[place] == ':') {
      ++colons;
      run = 0;
    } else {
      ++digits;
      longest = std::max(longest, ++run);
    }
    ++place;
  }
  const std::string_view whole = text.substr(at, place - at);
  const bool shortened = whole.find("::") != std::string_view::npos;
  if (digits == 0 || longest > 4 || colons > 7 || colons < 2 || (!shortened && colons != 7))
    return 0;
  return place < text.size() && is_word_character(text[place]) ? 0 : place - at;
}

size_t uuid_at(std::string_view text, size_t at) {
  constexpr size_t size = 36;
  if (at + size > text.size()) return 0;
  for (size_t i = 0; i < size; ++i) {
    const bool dash = i == 8 || i == 13 || i == 18 || i == 23;
    if (dash ? text[at + i] != '-' : !is_hex(text[at + i])) return 0;
  }
  return at + size < text.size() && is_word_character(text[at + size]) ? 0 : size;
}

const std::pair<const char*, Pattern> patterns[] = {
    {"uuid", uuid_at}, {"mac", mac_at}, {"address", ipv6_at}, {"address", ipv4_at}};

// The user in "/home/alice/x": how long the name is.
size_t home_at(std::string_view text, size_t at) {
  constexpr std::string_view home = "/home/";
  if (!text.substr(at).starts_with(home)) return 0;
  size_t end = at + home.size();
  while (end < text.size() && (is_name_character(text[end]) || text[end] == '.')) ++end;
  return end - at - home.size();
}

}  // namespace

const std::vector<SecretKind>& secret_kinds() {
  static const std::vector<SecretKind> kinds = {
      {"serial", "serial numbers: device tree, DMI, /proc/cpuinfo, disks and cards"},
      {"machine-id", "/etc/machine-id, the boot's identifier, DMI's UUID"},
      {"host", "the host's name"},
      {"user", "names of users: of this process, of sudo, of folders in /home"},
      {"token", "values of environment variables that are called token, key, secret, password, …"},
      {"mac", "hardware addresses of network cards"},
      {"address", "IPv4 and IPv6 addresses"},
      {"uuid", "identifiers such as those of GPUs and partitions"},
      {"home", "the name behind /home/ in a path"}};
  return kinds;
}

std::vector<Secret> machine_secrets(const fs::path& root) {
  Finder finder(root);
  finder.find_serials();
  finder.find_names();
  finder.find_own();
  return finder.take();
}

Scrubber::Scrubber(std::vector<Secret> secrets) : secrets_(std::move(secrets)) {
  std::ranges::stable_sort(
      secrets_, [](const Secret& a, const Secret& b) { return a.value.size() > b.value.size(); });
}

std::string Scrubber::without_values(std::string text, Source source) {
  for (const Secret& secret : secrets_) {
    const bool is_name = secret.kind == "host" || secret.kind == "user";
    if (is_name && source == Source::hardware) continue;
    const std::string instead = "left-out-" + secret.kind;
    const auto part_of_word = is_name ? is_name_character : is_word_character;
    for (size_t at = 0; (at = text.find(secret.value, at)) != std::string::npos;) {
      const size_t end = at + secret.value.size();
      const bool whole =
          secret.kind == "token" || ((at == 0 || !part_of_word(text[at - 1])) &&
                                     (end == text.size() || !part_of_word(text[end])));
      if (!whole) {
        ++at;
        continue;
      }
      text.replace(at, secret.value.size(), instead);
      at += instead.size();
      ++left_out_[secret.kind];
    }
  }
  return text;
}

std::string Scrubber::without_patterns(std::string_view text) {
  std::string clean;
  for (size_t at = 0; at < text.size();) {
    if (const size_t name = home_at(text, at); name > 0) {
      clean += "/home/left-out-home";
      at += std::string_view("/home/").size() + name;
      ++left_out_["home"];
      continue;
    }
    const bool inside = at > 0 && (is_word_character(text[at - 1]) || text[at - 1] == ':' ||
                                   (text[at - 1] == '.' && is_digit(text[at])));
    size_t size = 0;
    if (!inside && (is_hex(text[at]) || text[at] == ':'))
      for (const auto& [kind, length] : patterns)
        if ((size = length(text, at)) > 0) {
          clean += fmt::format("left-out-{}", kind);
          ++left_out_[kind];
          break;
        }
    if (size == 0) {
      clean += text[at];
      size = 1;
    }
    at += size;
  }
  return clean;
}

std::string Scrubber::text(std::string_view text, Source source) {
  return without_patterns(without_values(std::string(text), source));
}

Json Scrubber::json(const Json& document) {
  if (document.is_string()) return text(document.get<std::string>());
  if (document.is_array()) {
    Json clean = Json::array();
    for (const Json& item : document) clean.push_back(json(item));
    return clean;
  }
  if (!document.is_object()) return document;
  Json clean = Json::object();
  for (const auto& [key, value] : document.items()) clean[text(key)] = json(value);
  return clean;
}

std::vector<TreeEntry> Scrubber::tree(const std::vector<TreeEntry>& entries) {
  std::vector<TreeEntry> clean;
  for (const TreeEntry& entry : entries) {
    const bool hardware =
        entry.path.starts_with("sys/") || entry.path.starts_with("proc/device-tree/");
    const Source source = hardware ? Source::hardware : Source::other;
    if (text(entry.path, Source::hardware) != entry.path) continue;
    TreeEntry one{entry.kind, entry.path, text(entry.content, source)};
    if (entry.kind == TreeEntry::Kind::link && one.content != entry.content) continue;
    clean.push_back(std::move(one));
  }
  return clean;
}

}  // namespace flyball
