#include "telemetry/sensors/firmware_tool.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <memory>

#include "base/clock.h"
#include "base/files.h"
#include "base/os/tool_process.h"
#include "base/text.h"
#include "boards/identity.h"
#include "telemetry/sensors/simple_sensors.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

constexpr double kPeriodS = 0.1;
constexpr const char* kPower = "pmic_read_adc";
constexpr const char* kThrottled = "get_throttled";

// One answer of the tool, for all sensors that take a figure from it.
class Answer {
 public:
  Answer(fs::path tool, std::string argument)
      : tool_(std::move(tool)), argument_(std::move(argument)) {}
  Result<std::string> text() {
    const int64_t now = monotonic_ns();
    if (!text_ || now - asked_ns_ > nanoseconds(kPeriodS)) {
      text_ = run_tool(tool_, {argument_});
      asked_ns_ = now;
    }
    return *text_;
  }

 private:
  fs::path tool_;
  std::string argument_;
  std::optional<Result<std::string>> text_;
  int64_t asked_ns_ = 0;
};

double value_of(const std::vector<PmicValue>& values, const std::string& name) {
  const auto found = std::ranges::find(values, name, &PmicValue::name);
  return found == values.end() ? NAN : found->value;
}

// Rails that have a current and a voltage.
std::vector<std::string> rails_of(const std::vector<PmicValue>& values) {
  std::vector<std::string> rails;
  for (const PmicValue& value : values) {
    if (value.unit != 'A' || !value.name.ends_with("_A")) continue;
    const std::string rail = value.name.substr(0, value.name.size() - 2);
    if (!std::isnan(value_of(values, rail + "_V"))) rails.push_back(rail);
  }
  return rails;
}

double watts_of(const std::vector<PmicValue>& values, const std::vector<std::string>& rails) {
  double sum = 0;
  for (const std::string& rail : rails)
    sum += value_of(values, rail + "_A") * value_of(values, rail + "_V");
  return sum;
}

SensorInfo info_of(const std::string& name, const char* unit, SensorKind kind) {
  return {.name = name, .unit = unit, .kind = kind, .source = "firmware", .period_s = kPeriodS};
}

using Figure = std::function<double(const std::vector<PmicValue>&)>;
SensorPtr pmic_sensor(SensorInfo info, const std::shared_ptr<Answer>& answer, Figure figure) {
  const std::string name = info.name;
  return function_sensor(std::move(info), [=](int64_t) -> Result<double> {
    FLYBALL_ASSIGN(const std::string text, answer->text());
    const double value = figure(parse_pmic(text));
    if (std::isfinite(value)) return value;
    return Error{Code::corrupt, "the firmware's tool says nothing of " + name, ""};
  });
}

void add_power(SensorList& list, const fs::path& tool) {
  const auto answer = std::make_shared<Answer>(tool, kPower);
  const auto text = answer->text();
  if (!text) return list.gaps.push_back(text.error());
  const auto values = parse_pmic(*text);
  const auto rails = rails_of(values);
  if (rails.empty())
    return list.gaps.push_back({Code::corrupt, tool.string() + " lists no rails of power",
                                "is it the tool of this board's firmware?"});
  for (const std::string& rail : rails)
    list.sensors.push_back(pmic_sensor(info_of(rail, "W", SensorKind::power), answer,
                                       [rail](const auto& now) { return watts_of(now, {rail}); }));
  SensorInfo sum = info_of("all rails of the PMIC", "W", SensorKind::power);
  sum.total = "pmic";
  list.sensors.push_back(
      pmic_sensor(sum, answer, [rails](const auto& now) { return watts_of(now, rails); }));
  if (!std::isnan(value_of(values, "EXT5V_V")))
    list.sensors.push_back(pmic_sensor(info_of("EXT5V_V", "V", SensorKind::gauge), answer,
                                       [](const auto& now) { return value_of(now, "EXT5V_V"); }));
}

void add_throttled(SensorList& list, const fs::path& tool) {
  const auto answer = std::make_shared<Answer>(tool, kThrottled);
  SensorInfo info = info_of("firmware_throttled", "bits", SensorKind::gauge);
  info.throttling = Throttling::firmware_bits;
  auto sensor = function_sensor(std::move(info), [answer](int64_t) -> Result<double> {
    FLYBALL_ASSIGN(const std::string text, answer->text());
    if (const auto bits = parse_throttled(text)) return static_cast<double>(*bits);
    return Error{Code::corrupt, "the firmware's tool tells no throttling", ""};
  });
  if (const auto bits = sensor->read())
    list.sensors.push_back(std::move(sensor));
  else
    list.gaps.push_back(bits.error());
}

}  // namespace

Status trusted_code(const fs::path& path, const fs::path& root) {
  const char* allowed = std::getenv("FLYBALL_TREE_PROGRAMS");
  if (root != "/" && (!allowed || std::string_view(allowed) != "1"))
    return Error{Code::permission,
                 path.string() + " is not run: it is of a tree, which may come from anybody",
                 "what it tells is known on the board itself"};
  struct stat file {};
  if (::stat(path.c_str(), &file) != 0) return file_error("run", path, errno);
  const bool ours = file.st_uid == 0 || file.st_uid == ::geteuid();
  if (S_ISREG(file.st_mode) && ours && (file.st_mode & 022) == 0) return {};
  return Error{Code::permission, path.string() + " is not run: other users can have written it",
               "it must belong to root, and only root may write it"};
}

std::vector<PmicValue> parse_pmic(std::string_view text) {
  std::vector<PmicValue> values;
  for (const std::string& line : split(std::string(text), '\n')) {
    const std::string_view whole = trim(line);
    const size_t blank = whole.find(' '), equals = whole.find('=');
    if (blank == std::string_view::npos || equals == std::string_view::npos || equals < blank)
      continue;
    std::string_view number = whole.substr(equals + 1);
    if (number.empty() || (number.back() != 'A' && number.back() != 'V')) continue;
    const char unit = number.back();
    number.remove_suffix(1);
    const auto value = parse_double(number);
    const std::string name(whole.substr(0, blank));
    if (value && std::isfinite(*value) && text_fault(name).empty())
      values.push_back({name, unit, *value});
  }
  return values;
}

std::optional<uint64_t> parse_throttled(std::string_view text) {
  constexpr std::string_view key = "throttled=0x";
  text = trim(text);
  if (!text.starts_with(key)) return {};
  text.remove_prefix(key.size());
  uint32_t bits = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), bits, 16);
  if (problem != std::errc() || end != text.data() + text.size()) return {};
  return bits;
}

std::vector<std::string> firmware_throttle_reasons(uint64_t bits) {
  constexpr std::array names = {"under-voltage", "clock capped", "throttled",
                                "soft temperature limit"};
  std::vector<std::string> reasons;
  for (size_t bit = 0; bit < names.size(); ++bit)
    if (bits & (uint64_t{1} << bit)) reasons.emplace_back(names[bit]);
  return reasons;
}

SensorList open_firmware_tool(const fs::path& root) {
  SensorList list;
  const BoardIdentity board = identify_board(root);
  if (!board.spec || board.spec->firmware_tool.empty()) return list;
  const fs::path tool = root / board.spec->firmware_tool;
  std::error_code ignored;
  if (!fs::exists(tool, ignored)) {
    list.gaps.push_back({Code::unavailable, tool.string() + " is not installed",
                         "it tells the power of this board: install raspi-utils"});
    return list;
  }
  if (const Status may = trusted_code(tool, root); !may.ok()) {
    list.gaps.push_back(may.error());
    return list;
  }
  add_power(list, tool);
  add_throttled(list, tool);
  return list;
}

}  // namespace flyball
