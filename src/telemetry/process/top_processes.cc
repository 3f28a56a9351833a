#include "telemetry/process/top_processes.h"

#include <dirent.h>
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>
#include <memory>
#include <tuple>
#include <utility>

#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "telemetry/sensors/proc_parse.h"
#include "telemetry/sensors/small_file.h"

namespace flyball {
namespace {

struct CloseProc {
  void operator()(DIR* folder) const { ::closedir(folder); }
};

std::vector<int> process_numbers(const std::string& proc) {
  std::vector<int> numbers;
  const std::unique_ptr<DIR, CloseProc> folder(::opendir(proc.c_str()));
  while (const dirent* entry = folder ? ::readdir(folder.get()) : nullptr) {
    const char* end = entry->d_name + std::strlen(entry->d_name);
    int number = 0;
    const auto parsed = std::from_chars(entry->d_name, end, number);
    if (parsed.ec == std::errc{} && parsed.ptr == end && number > 0) numbers.push_back(number);
  }
  return numbers;
}

std::string plain(std::string_view name) {
  std::string text(name.substr(0, 64));
  for (char& c : text)
    if (c < ' ' || c > '~') c = '?';
  return text;
}

bool uses_more(const ProcessUse& a, const ProcessUse& b) {
  const auto order = [](const ProcessUse& use) {
    return std::tuple(use.cpu_cores + use.gpu_busy.value_or(0), use.gpu_bytes.value_or(0),
                      use.memory_bytes);
  };
  return order(a) != order(b) ? order(a) > order(b) : a.pid < b.pid;
}

// "2532K", "12M" or bytes.
std::optional<double> nvmap_size(std::string_view word) {
  double unit = 1;
  if (word.ends_with('K')) unit = 1024;
  if (word.ends_with('M')) unit = 1024 * 1024;
  if (unit > 1) word.remove_suffix(1);
  const auto number = parse_integer(word);
  if (!number || *number < 0) return {};
  return static_cast<double>(*number) * unit;
}

}  // namespace

std::map<int, double> parse_nvmap_clients(std::string_view text) {
  std::map<int, double> bytes;
  for (const std::string& line : split(text, '\n')) {
    std::vector<std::string> words;
    for (const std::string& word : split(line, ' '))
      if (!trim(word).empty()) words.emplace_back(trim(word));
    if (words.size() < 4) continue;
    const auto pid = parse_integer(words[words.size() - 2]);
    const auto size = nvmap_size(words.back());
    if (pid && *pid > 0 && *pid <= 2147483647 && size) bytes[static_cast<int>(*pid)] += *size;
  }
  return bytes;
}

TopProcesses::TopProcesses(std::filesystem::path root) : root_(std::move(root)), gpus_(root_) {}

std::vector<ProcessUse> TopProcesses::look(size_t most) {
  const double tick_s = 1.0 / static_cast<double>(::sysconf(_SC_CLK_TCK));
  const auto page = static_cast<double>(::sysconf(_SC_PAGESIZE));
  const int64_t now_ns = monotonic_ns();
  const double seconds = static_cast<double>(now_ns - looked_ns_) * 1e-9;
  const auto nvmap = read_file(root_ / "sys/kernel/debug/nvmap/iovmm/clients", 1 << 20);
  auto on_gpu = gpus_.look();
  if (nvmap)
    for (const auto& [pid, bytes] : parse_nvmap_clients(*nvmap)) on_gpu[pid].bytes = bytes;
  const std::string proc = (root_ / "proc").string();
  std::array<char, 1024> buffer;
  std::map<int, Before> seen;
  std::vector<ProcessUse> all;
  for (const int pid : process_numbers(proc)) {
    const auto text = read_small(fmt::format("{}/{}/stat", proc, pid).c_str(), buffer);
    const auto stat = text ? parse_pid_stat(*text) : std::nullopt;
    if (!stat || stat->state == 'Z' || stat->state == 'X') continue;
    const uint64_t ticks = stat->user + stat->system;
    seen[pid] = {ticks, stat->start};
    const auto before = before_.find(pid);
    const bool known = before != before_.end() && before->second.start == stat->start &&
                       ticks >= before->second.ticks;
    ProcessUse use{.pid = pid, .name = plain(parse_pid_name(*text))};
    const uint64_t base = known ? before->second.ticks : 0;
    if (looked_ns_ != 0 && seconds > 0)
      use.cpu_cores = static_cast<double>(ticks - base) * tick_s / seconds;
    if (const auto held = on_gpu.find(pid); held != on_gpu.end()) {
      use.gpu_bytes = held->second.bytes;
      use.gpu_busy = held->second.busy;
    }
    use.memory_bytes = static_cast<double>(stat->resident_pages) * page;
    all.push_back(std::move(use));
  }
  before_ = std::move(seen);
  looked_ns_ = now_ns;
  const size_t kept = std::min(most, all.size());
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), all.end(),
                    uses_more);
  all.resize(kept);
  return all;
}

}  // namespace flyball
