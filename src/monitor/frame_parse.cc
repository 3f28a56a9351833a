// A line of a file that anybody may have written, as a frame.
#include <fmt/format.h>

#include <cmath>
#include <functional>

#include "base/json.h"
#include "base/text.h"
#include "monitor/board_frame.h"

namespace flyball {
namespace {

constexpr size_t most_entries = 4096, most_text = 1024;
constexpr double most_value = 1e18;

// Reads members of an object; the first that is not as it must be is kept, and the rest is empty.
class Members {
 public:
  Members(const SortedJson& object, std::string where, std::string& fault)
      : object_(object), where_(std::move(where)), fault_(fault) {
    if (!object_.is_object()) blame("", "is no object");
  }

  std::string text(const char* key) {
    const SortedJson* value = member(key);
    if (!value || value->is_null()) return "";
    if (!value->is_string()) return blame(key, "is no text"), "";
    const auto& text = value->get_ref<const std::string&>();
    if (text.size() > most_text || !text_fault(text).empty() ||
        text.find('\n') != std::string::npos)
      return blame(key, "is no plain line of text"), "";
    return text;
  }
  std::optional<double> perhaps(const char* key) {
    const SortedJson* value = member(key);
    if (!value || value->is_null()) return {};
    return checked(*value, key);
  }
  double number(const char* key) {
    const auto value = perhaps(key);
    if (!value) blame(key, "is missing");
    return value.value_or(0);
  }
  double amount(const char* key) {
    const double value = number(key);
    if (value < 0) blame(key, "is below 0");
    return value;
  }
  std::optional<bool> perhaps_flag(const char* key) {
    const SortedJson* value = member(key);
    if (!value || value->is_null()) return {};
    if (!value->is_boolean()) return blame(key, "is neither true nor false"), std::nullopt;
    return value->get<bool>();
  }
  bool flag(const char* key) {
    const auto value = perhaps_flag(key);
    if (!value) blame(key, "is missing");
    return value.value_or(false);
  }
  Members object(const char* key) {
    const SortedJson* value = member(key);
    return {value ? *value : empty(), path(key), fault_};
  }
  void each(const char* key, const std::function<void(Members)>& take) {
    each_value(key, [&](const SortedJson& value, const std::string& where) {
      take({value, where, fault_});
    });
  }
  std::vector<std::string> texts(const char* key) {
    std::vector<std::string> all;
    each_value(key, [&](const SortedJson& value, const std::string&) {
      const SortedJson wrapped = {{"text", value}};
      all.push_back(Members(wrapped, path(key), fault_).text("text"));
    });
    return all;
  }
  std::vector<std::optional<double>> numbers(const char* key) {
    std::vector<std::optional<double>> all;
    each_value(key, [&](const SortedJson& value, const std::string&) {
      all.push_back(value.is_null() ? std::nullopt : checked(value, key));
    });
    return all;
  }
  Settings settings(const char* key) {
    Settings all;
    const SortedJson* value = member(key);
    if (!value || !value->is_object() || value->size() > most_entries)
      return blame(key, "is no object"), all;
    for (const auto& [name, one] : value->items()) {
      if (name.size() > most_text || !text_fault(name).empty())
        return blame(key, "has no names"), all;
      all[name] = checked(one, key).value_or(0);
    }
    return all;
  }
  bool has(const char* key) const {
    return object_.is_object() && object_.contains(key) && !object_.at(key).is_null();
  }
  void blame(const char* key, const std::string& what) {
    if (fault_.empty()) fault_ = fmt::format("{} {}", path(key), what);
  }

 private:
  static const SortedJson& empty() {
    static const SortedJson object = SortedJson::object();
    return object;
  }
  std::string path(const char* key) const {
    return where_.empty() ? key : *key == '\0' ? where_ : where_ + "." + key;
  }
  const SortedJson* member(const char* key) {
    if (!object_.is_object()) return nullptr;
    const auto found = object_.find(key);
    if (found == object_.end()) return blame(key, "is missing"), nullptr;
    return &*found;
  }
  std::optional<double> checked(const SortedJson& value, const char* key) {
    if (!value.is_number()) return blame(key, "is no number"), std::nullopt;
    const double number = value.get<double>();
    if (std::isfinite(number) && std::abs(number) <= most_value) return number;
    return blame(key, "is out of range"), std::nullopt;
  }
  void each_value(const char* key,
                  const std::function<void(const SortedJson&, const std::string&)>& take) {
    const SortedJson* values = member(key);
    if (!values) return;
    if (!values->is_array() || values->size() > most_entries) return blame(key, "is no list");
    for (size_t i = 0; i < values->size(); ++i)
      take((*values)[i], fmt::format("{}[{}]", path(key), i));
  }

  const SortedJson& object_;  // of a document that outlives this
  std::string where_;
  std::string& fault_;
};

void read_power(Members power, BoardFrame& frame) {
  frame.total = power.text("total");
  frame.power_w = power.perhaps("power_w");
  frame.energy_j = power.number("energy_j");
  power.each("rails", [&](Members rail) {
    frame.rails.push_back({rail.text("name"), rail.flag("in_total"), rail.perhaps("power_w"),
                           rail.number("energy_j")});
  });
}

void read_work(Members& top, BoardFrame& frame) {
  top.each("clocks", [&](Members clock) {
    frame.clocks.push_back({clock.text("name"), clock.text("axis"), clock.perhaps("asked_mhz"),
                            clock.perhaps("seen_mhz")});
  });
  Members load = top.object("load");
  frame.cores = load.numbers("cores");
  frame.gpu_busy = load.perhaps("gpu");
  top.each("temperatures", [&](Members one) {
    frame.temperatures.push_back({one.text("name"), one.number("celsius")});
  });
  if (top.has("throttled")) frame.throttled = top.texts("throttled");
  Members fan = top.object("fan");
  frame.fan = fan.perhaps("share");
  frame.fan_rpm = fan.perhaps("rpm");
}

void read_use(Members& top, BoardFrame& frame) {
  Members memory = top.object("memory");
  frame.memory = {memory.perhaps("total_bytes"), memory.perhaps("used_bytes"),
                  memory.perhaps("page_cache_bytes"), memory.perhaps("swap_used_bytes")};
  top.each("disks", [&](Members disk) {
    frame.disks.push_back({disk.text("name"), disk.amount("read_bytes"),
                           disk.amount("written_bytes"), disk.perhaps("read_bytes_per_s"),
                           disk.perhaps("written_bytes_per_s")});
  });
  top.each("processes", [&](Members process) {
    const double pid = process.amount("pid");
    const bool is_pid = pid >= 0 && pid <= 2147483647 && pid == std::floor(pid);
    if (!is_pid) process.blame("pid", "is no process number");
    frame.processes.push_back({is_pid ? static_cast<int>(pid) : 0, process.text("name"),
                               process.amount("cpu_cores"), process.amount("memory_bytes"),
                               process.perhaps("gpu_bytes"), process.perhaps("gpu_busy")});
  });
}

void read_mode(Members& top, BoardFrame& frame) {
  Members mode = top.object("mode");
  frame.mode = {{mode.settings("caps")}, mode.text("preset"), mode.perhaps_flag("pinned")};
  frame.held_by = top.text("held_by");
  frame.measuring = top.text("measuring");
  frame.kept = top.flag("kept");
  frame.own_cores = top.perhaps("own_cores");
  top.each("gaps", [&](Members gap) {
    frame.gaps.push_back({Code::unavailable, gap.text("what"), gap.text("remedy")});
  });
}

Error no_frame(const std::string& why) {
  return {Code::corrupt, "no frame of a monitor: " + why,
          "`flyball monitor --json` writes such files"};
}

}  // namespace

Result<BoardFrame> parse_frame(std::string_view line) {
  if (line.size() > most_frame_bytes)
    return no_frame(fmt::format("longer than {} KiB", most_frame_bytes >> 10));
  const SortedJson json = SortedJson::parse(line, nullptr, false);
  if (json.is_discarded() || !json.is_object()) return no_frame("not a JSON object");
  std::string fault;
  Members top(json, "", fault);
  if (top.number("monitor") != frame_version && fault.empty())
    return no_frame(fmt::format("'monitor' is not {}", frame_version));
  BoardFrame frame;
  frame.time = top.text("time");
  frame.at_s = top.amount("at_s");
  frame.simulated = top.flag("simulated");
  Members board = top.object("board");
  frame.board_id = board.text("id");
  frame.board_name = board.text("name");
  read_power(top.object("power"), frame);
  read_work(top, frame);
  read_use(top, frame);
  read_mode(top, frame);
  if (!fault.empty()) return no_frame(fault);
  return frame;
}

}  // namespace flyball
