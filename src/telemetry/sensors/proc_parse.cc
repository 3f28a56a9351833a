#include "telemetry/sensors/proc_parse.h"

#include <charconv>

namespace flyball {
namespace {

constexpr uint64_t kSectorBytes = 512;

// Walks over words between blanks.
class Words {
 public:
  explicit Words(std::string_view text) : rest_(text) {}
  std::string_view next() {
    const size_t begin = rest_.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return rest_ = {};
    const size_t end = rest_.find_first_of(" \t", begin);
    const std::string_view word = rest_.substr(begin, end - begin);
    rest_ = end == std::string_view::npos ? std::string_view{} : rest_.substr(end);
    return word;
  }
  template <class T>
  bool number(T& value) {
    const std::string_view word = next();
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    return error == std::errc{} && end == word.data() + word.size() && !word.empty();
  }
  bool skip(int words) {
    for (; words > 0; --words)
      if (next().empty()) return false;
    return true;
  }

 private:
  std::string_view rest_;
};

// Calls visit(line) for each line until it returns true.
template <class Visit>
bool any_line(std::string_view text, Visit visit) {
  while (!text.empty()) {
    const size_t end = text.find('\n');
    if (visit(text.substr(0, end))) return true;
    if (end == std::string_view::npos) return false;
    text.remove_prefix(end + 1);
  }
  return false;
}

// The number after "key:" or "key " at the start of a line.
std::optional<uint64_t> keyed(std::string_view text, std::string_view key, char separator) {
  uint64_t value = 0;
  const bool found = any_line(text, [&](std::string_view line) {
    if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != separator)
      return false;
    return Words(line.substr(key.size() + 1)).number(value);
  });
  return found ? std::optional(value) : std::nullopt;
}

}  // namespace

std::optional<PidStat> parse_pid_stat(std::string_view text) {
  PidStat stat;
  // The name stands in brackets and may hold brackets and blanks itself.
  const size_t open = text.find('('), close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  if (!Words(text.substr(0, open)).number(stat.pid)) return {};
  Words words(text.substr(close + 1));
  const std::string_view state = words.next();
  if (state.size() != 1) return {};
  stat.state = state[0];
  uint64_t minor = 0, children_minor = 0, major = 0, children_major = 0;
  const bool fine = words.number(stat.parent) && words.number(stat.group) && words.skip(4) &&
                    words.number(minor) && words.number(children_minor) && words.number(major) &&
                    words.number(children_major) && words.number(stat.user) &&
                    words.number(stat.system) && words.number(stat.children_user) &&
                    words.number(stat.children_system) && words.skip(2) &&
                    words.number(stat.threads) && stat.pid >= 0 && stat.threads >= 0;
  stat.faults = minor + children_minor + major + children_major;
  uint64_t address_space = 0;  // what follows is not in every recorded line
  if (!fine || !words.skip(1) || !words.number(stat.start) || !words.number(address_space) ||
      !words.number(stat.resident_pages))
    stat.start = stat.resident_pages = 0;
  return fine ? std::optional(stat) : std::nullopt;
}

std::string_view parse_pid_name(std::string_view text) {
  const size_t open = text.find('('), close = text.rfind(')');
  if (open == std::string_view::npos || close == std::string_view::npos || close < open) return {};
  return text.substr(open + 1, close - open - 1);
}

PidIo& PidIo::operator+=(const PidIo& other) {
  read_chars += other.read_chars;
  write_chars += other.write_chars;
  read_bytes += other.read_bytes;
  write_bytes += other.write_bytes;
  return *this;
}

std::optional<PidIo> parse_pid_io(std::string_view text) {
  const auto rchar = keyed(text, "rchar", ':'), wchar = keyed(text, "wchar", ':');
  const auto read = keyed(text, "read_bytes", ':'), written = keyed(text, "write_bytes", ':');
  if (!rchar || !wchar || !read || !written) return {};
  return PidIo{*rchar, *wchar, *read, *written};
}

std::optional<uint64_t> parse_statm_resident(std::string_view text, uint64_t page_bytes) {
  uint64_t size = 0, resident = 0;
  Words words(text.substr(0, text.find('\n')));
  if (!words.number(size) || !words.number(resident)) return {};
  return resident * page_bytes;
}

std::optional<CpuTicks> parse_cpu_ticks(std::string_view text, std::string_view cpu) {
  CpuTicks ticks;
  const bool found = any_line(text, [&](std::string_view line) {
    Words words(line);
    if (words.next() != cpu) return false;
    uint64_t user = 0, nice = 0, system = 0, idle = 0, iowait = 0, irq = 0, softirq = 0;
    if (!words.number(user) || !words.number(nice) || !words.number(system) ||
        !words.number(idle) || !words.number(iowait) || !words.number(irq) ||
        !words.number(softirq))
      return false;
    ticks = {user + nice + system + irq + softirq, idle + iowait};
    return true;
  });
  return found ? std::optional(ticks) : std::nullopt;
}

std::optional<uint64_t> parse_kb_line(std::string_view text, std::string_view key) {
  const auto kilobytes = keyed(text, key, ':');
  return kilobytes ? std::optional(*kilobytes * 1024) : std::nullopt;
}

std::optional<DiskStat> parse_diskstats(std::string_view text, std::string_view device) {
  DiskStat stat;
  const bool found = any_line(text, [&](std::string_view line) {
    Words words(line);
    if (!words.skip(2) || words.next() != device) return false;
    uint64_t merged = 0, read_sectors = 0, read_ms = 0, written_sectors = 0, write_ms = 0, now = 0;
    if (!words.number(stat.reads) || !words.number(merged) || !words.number(read_sectors) ||
        !words.number(read_ms) || !words.number(stat.writes) || !words.number(merged) ||
        !words.number(written_sectors) || !words.number(write_ms) || !words.number(now) ||
        !words.number(stat.busy_ms))
      return false;
    stat.read_bytes = read_sectors * kSectorBytes;
    stat.write_bytes = written_sectors * kSectorBytes;
    return true;
  });
  return found ? std::optional(stat) : std::nullopt;
}

std::optional<uint64_t> parse_pressure(std::string_view text, std::string_view line_name) {
  uint64_t total = 0;
  const bool found = any_line(text, [&](std::string_view line) {
    if (Words(line).next() != line_name) return false;
    const size_t at = line.rfind(" total=");
    return at != std::string_view::npos && Words(line.substr(at + 7)).number(total);
  });
  return found ? std::optional(total) : std::nullopt;
}

std::optional<uint64_t> parse_vmstat(std::string_view text, std::string_view key) {
  return keyed(text, key, ' ');
}

}  // namespace flyball
