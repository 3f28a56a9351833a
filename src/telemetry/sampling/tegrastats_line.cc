#include "telemetry/sampling/tegrastats_line.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "base/amounts.h"
#include "base/lower.h"
#include "base/text.h"
#include "telemetry/sampling/plug_meter.h"
#include "telemetry/sampling/time_stamp.h"

namespace flyball {
namespace {

constexpr double sensor_off_c = -256;  // what a temperature that is switched off reads
constexpr size_t shown = 40;           // characters of a field in a message

std::vector<std::string_view> words_of(std::string_view line) {
  std::vector<std::string_view> words;
  while (true) {
    const size_t begin = line.find_first_not_of(" \t\r");
    if (begin == std::string_view::npos) return words;
    const size_t end = std::min(line.find_first_of(" \t\r", begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
}

bool drop_suffix(std::string_view& text, std::string_view suffix) {
  if (!text.ends_with(suffix)) return false;
  text.remove_suffix(suffix.size());
  return true;
}

std::optional<double> finite(std::string_view text) {
  const auto number = parse_double(text);
  return number && std::isfinite(*number) ? number : std::nullopt;
}

std::optional<double> not_negative(std::string_view text) {
  const auto number = finite(text);
  return number && *number >= 0 ? number : std::nullopt;
}

bool is_name(std::string_view text) {
  return !text.empty() && text.size() <= 64 && std::ranges::all_of(text, [](unsigned char c) {
    return std::isalnum(c) != 0 || c == '_' || c == '-' || c == '.';
  }) && std::isalpha(static_cast<unsigned char>(text.front())) != 0;
}

class LineParser {
 public:
  LineParser(std::string_view line, double utc_offset_s)
      : words_(words_of(line)), utc_offset_s_(utc_offset_s) {}

  Result<TegrastatsLine> parse() {
    FLYBALL_CHECK(date());
    if (at_end() || word() != "RAM")
      return Error{Code::corrupt, "the line does not begin as tegrastats' do",
                   "each begins with RAM, or with a date and RAM"};
    while (!at_end()) FLYBALL_CHECK(field());
    return std::move(line_);
  }

 private:
  bool at_end() const { return at_ == words_.size(); }
  std::string_view word() const { return words_[at_]; }
  std::string_view next() { return at_end() ? std::string_view() : words_[at_++]; }

  static Status wrong(std::string_view field, std::string_view value) {
    return Error{Code::corrupt,
                 value.empty() ? fmt::format("'{}' has no value", field.substr(0, shown))
                               : fmt::format("'{}' is no value of {}", value.substr(0, shown),
                                             field.substr(0, shown)),
                 "the line is cut off, or not of tegrastats"};
  }

  void add(std::string name, const char* unit, double value) {
    const bool there = std::ranges::count(line_.fields, name, &TegrastatsField::name) > 0;
    if (!there) line_.fields.push_back({std::move(name), unit, value});
  }

  // "11-15-2024 08:38:09", in the board's own zone.
  Status date() {
    if (words_.size() < 2 || words_[0].size() != 10 || words_[0][2] != '-') return {};
    const std::string_view day = next(), clock = next();
    const auto stamp =
        clock.size() == 8
            ? parse_time_stamp(fmt::format("{}-{}T{}", day.substr(6), day.substr(0, 5), clock),
                               utc_offset_s_)
            : std::nullopt;
    if (!stamp) return wrong("the date", fmt::format("{} {}", day, clock));
    line_.unix_s = *stamp;
    return {};
  }

  Status field() {
    const std::string_view name = next();
    if (name == "RAM" || name == "SWAP") return memory(name, "MB", mebibyte);
    if (name == "IRAM") return memory(name, "kB", 1024);
    if (name == "CPU" && !at_end() && word().starts_with('[')) return cores(next());
    if (name == "MTS") return translation();
    if (const size_t at = name.find('@'); at != std::string_view::npos)
      return temperature(name.substr(0, at), name.substr(at + 1));
    if (!is_name(name)) return wrong("a field", name);
    return value_of(name, next());
  }

  // "1245/3964MB" and what stands in brackets behind it: the largest free block, what is cached.
  Status memory(std::string_view name, std::string_view unit, double bytes) {
    std::string_view value = next();
    const std::string_view whole = value;
    const size_t bracket = value.find('(');
    if (bracket != std::string_view::npos) value = value.substr(0, bracket);
    const size_t slash = value.find('/');
    if (slash == std::string_view::npos || !drop_suffix(value, unit)) return wrong(name, whole);
    const auto used = not_negative(value.substr(0, slash));
    const auto total = not_negative(value.substr(slash + 1));
    if (!used || !total) return wrong(name, whole);
    add(lower(std::string(name)), "B", *used * bytes);
    bool open = bracket != std::string_view::npos || (!at_end() && word().starts_with('('));
    bool closed = !open || whole.ends_with(')');
    while (!closed && !at_end()) closed = next().ends_with(')');
    return closed ? Status() : wrong(name, whole);
  }

  // "[12%@1190,off]": load and clock of each core.
  Status cores(std::string_view list) {
    const std::string_view whole = list;
    if (list.size() < 2 || !list.ends_with(']')) return wrong("CPU", whole);
    list = list.substr(1, list.size() - 2);
    int core = 0;
    for (const std::string& one : split(list, ',')) {
      const int number = core++;
      if (one == "off") continue;
      FLYBALL_CHECK(load_and_clock("CPU", one, fmt::format("cpu{}_busy", number),
                                   fmt::format("cpu{}_mhz", number)));
    }
    return {};
  }

  // "33%", "33%@76", "63%@[621,620]": several clusters of one unit, whose highest clock is taken.
  Status load_and_clock(std::string_view field, std::string_view text, const std::string& load,
                        const std::string& clock) {
    const size_t at = text.find('@');
    std::string_view share = text.substr(0, at);
    if (!drop_suffix(share, "%")) return wrong(field, text);
    const auto percent = not_negative(share);
    if (!percent || *percent > 100) return wrong(field, text);
    add(load, "%", *percent);
    if (at == std::string_view::npos) return {};
    std::string_view clocks = text.substr(at + 1);
    if (clocks.starts_with('[') != clocks.ends_with(']')) return wrong(field, text);
    if (clocks.starts_with('[') && clocks.size() >= 2) clocks = clocks.substr(1, clocks.size() - 2);
    double highest = 0;
    for (const std::string& one : split(clocks, ',')) {
      const auto mhz = not_negative(one);
      if (!mhz) return wrong(field, text);
      highest = std::max(highest, *mhz);
    }
    add(clock, "MHz", highest);
    return {};
  }

  // "MTS fg 0% bg 1%": Denver's code translation, on TX2 and AGX Xavier; not kept.
  Status translation() {
    while (!at_end() && (word() == "fg" || word() == "bg" || word().ends_with('%'))) ++at_;
    return {};
  }

  Status temperature(std::string_view name, std::string_view value) {
    const std::string_view whole = value;
    value = value.substr(0, value.find('/'));  // an average may follow
    if (!is_name(name) || !whole.ends_with('C') || !drop_suffix(value, "C"))
      return wrong(name, whole);
    const auto degrees = finite(value);
    if (!degrees || *degrees < -300 || *degrees > 1000) return wrong(name, whole);
    if (*degrees != sensor_off_c) add(fmt::format("temp:{}", name), "C", *degrees);
    return {};
  }

  Status value_of(std::string_view name, std::string_view value) {
    if (value.find('/') != std::string_view::npos) return rail(name, value);
    if (value == "off") return {};
    if (value.find('%') != std::string_view::npos) return engine_load(name, value);
    const auto mhz = not_negative(value);
    if (mhz) {
      add(fmt::format("{}_mhz", name), "MHz", *mhz);
      return {};
    }
    if (value.empty()) return wrong(name, value);
    line_.unknown.emplace_back(name);
    return {};
  }

  Status engine_load(std::string_view name, std::string_view value) {
    std::string engine(name);
    if (engine.ends_with("_FREQ")) engine.resize(engine.size() - 5);
    engine = engine == "GR3D" ? "gpu" : engine == "EMC" ? "emc" : engine;
    return load_and_clock(name, value, engine + "_busy", engine + "_mhz");
  }

  // "12479mW/12479mW[/13000mW]": now, the mean since it started, the highest.
  Status rail(std::string_view name, std::string_view value) {
    const std::vector<std::string> parts = split(value, '/');
    if (parts.size() > 3) return wrong(name, value);
    const bool unit = parts.front().ends_with("mW");
    std::optional<double> now;
    for (const std::string& part : parts) {
      std::string_view digits = part;
      if (drop_suffix(digits, "mW") != unit) return wrong(name, value);
      const auto mw = finite(digits);
      if (!mw || std::abs(*mw) > 1e7) return wrong(name, value);
      if (!now) now = *mw;
    }
    add(std::string(name), "W", *now * 1e-3);
    return {};
  }

  std::vector<std::string_view> words_;
  size_t at_ = 0;
  double utc_offset_s_;
  TegrastatsLine line_;
};

}  // namespace

Result<TegrastatsLine> parse_tegrastats_line(std::string_view line, double utc_offset_s) {
  if (const std::string fault = text_fault(line); !fault.empty())
    return Error{Code::corrupt, "the line " + fault, "tegrastats writes plain text"};
  return LineParser(line, utc_offset_s).parse();
}

}  // namespace flyball
