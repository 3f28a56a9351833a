// A simulated board: what boards/*.toml say of it, and nothing of this machine.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/os/file_version.h"
#include "base/text.h"
#include "boards/spec.h"
#include "device/registry/board.h"
#include "space/board_fingerprint.h"
#include "space/highest_mode.h"
#include "twin/individual.h"
#include "twin/twin.h"

namespace flyball {
namespace {

// A mode that exists in memory alone: nothing is written, and nothing to be put back.
class TwinDevice final : public Device {
 public:
  TwinDevice(DeviceInfo info, TwinBoard board, std::vector<AxisGap> gaps,
             std::shared_ptr<PowerMode> mode)
      : info_(std::move(info)),
        board_(std::move(board)),
        gaps_(std::move(gaps)),
        mode_(std::move(mode)) {}

  const DeviceInfo& info() const override { return info_; }
  std::vector<AxisState> states() const override {
    std::vector<AxisState> states;
    for (const Axis& axis : board_.axes) states.push_back({.axis = axis});
    return states;
  }
  PowerMode caps() const override { return highest_mode(board_.axes); }
  PowerMode baseline() const override { return caps(); }
  Settings observed() const override {
    Settings now = caps().values;
    for (const auto& [name, value] : mode_->values) now[name] = value;
    return now;
  }
  std::vector<AxisGap> gaps() const override { return gaps_; }
  Status claim() override { return {}; }
  Status apply(const PowerMode& mode) override {
    for (const auto& [name, value] : mode.values) {
      const Axis* axis = find_axis(board_.axes, name);
      if (!axis)
        return Error{Code::invalid_argument, fmt::format("{} has no axis '{}'", info_.title, name),
                     "it has: " + names_of_axes()};
      if (std::ranges::find(axis->values, value) == axis->values.end())
        return Error{Code::invalid_argument,
                     fmt::format("{} cannot be {} on {}", name, format_number(value), info_.title),
                     fmt::format("the nearest that it has: {}", nearest(value, *axis))};
    }
    *mode_ = mode;
    return {};
  }
  Status restore() override {
    mode_->values.clear();
    return {};
  }
  Status can_keep() const override {
    return Error{Code::invalid_argument, info_.title + ": there is nothing here to leave in a mode",
                 "set it on the board itself: `flyball mode set` there"};
  }
  Status keep() override { return can_keep(); }

 private:
  std::string names_of_axes() const {
    std::vector<std::string> names;
    for (const Axis& axis : board_.axes) names.push_back(axis.name);
    return join(names, ", ");
  }
  static std::string nearest(double value, const Axis& axis) {
    const auto closer = [&](double a, double b) {
      return std::abs(a - value) < std::abs(b - value);
    };
    return format_number(*std::ranges::min_element(axis.values, closer));
  }

  DeviceInfo info_;
  TwinBoard board_;
  std::vector<AxisGap> gaps_;
  std::shared_ptr<PowerMode> mode_;
};

class SimulatedBoard final : public Board {
 public:
  SimulatedBoard(const BoardName& name, const TwinBoard& kind, uint64_t number)
      : twin_(individual_board(kind, number)) {
    const BoardSpec* spec = find_board_spec(twin_.id);
    info_.name = name;
    info_.device.name = twin_.id;
    info_.device.title =
        (spec ? spec->name : twin_.id) +
        (number > 0 ? fmt::format(" (simulated, board {})", number) : std::string(" (simulated)"));
    info_.device.fingerprint =
        fmt::format("twin of {}, constants {:016x}", kind.id, constants_hash(kind));
    if (number > 0)
      info_.device.fingerprint =
          individual_fingerprint(info_.device.fingerprint, number, constants_hash(twin_));
    info_.compute = "";
    info_.provenance = Provenance::simulated;
  }

  const BoardInfo& info() const override { return info_; }
  const TwinBoard* twin() const override { return &twin_; }
  using Board::knobs;
  Result<std::unique_ptr<Device>> knobs(ReportLeft) const override {
    return std::unique_ptr<Device>(
        std::make_unique<TwinDevice>(info_.device, twin_, gaps(), mode_));
  }
  std::unique_ptr<PowerMeter> power() const override {
    return make_no_power(
        "a simulated board draws power in a simulated trial alone: `flyball tune` and `flyball "
        "profile` tell it");
  }
  Presets presets() const override {
    const BoardSpec* spec = find_board_spec(twin_.id);
    return spec ? presets_of(*spec, twin_.axes) : Presets();
  }

 private:
  std::vector<AxisGap> gaps() const {
    std::vector<AxisGap> gaps;
    const auto add = [&](const std::string& text) {
      gaps.push_back({{}, {Code::unavailable, text, ""}});
    };
    if (!twin_.by_hand.empty())
      add(fmt::format(
          "the times of the twin of {} were set by hand to {}, its power is an assumption: no "
          "reading of it was seen (docs/twin.md)",
          twin_.id, twin_.by_hand));
    else if (twin_.calibrated.empty())
      add(fmt::format(
          "the twin of {} was compared with no measurement: its clocks, cores and widths are the "
          "board's, the rest is that of its kin (docs/twin.md)",
          twin_.id));
    const BoardSpec* spec = find_board_spec(twin_.id);
    if (spec && spec->jetson() && presets().list.empty())
      add(
          fmt::format("nvpmodel's presets of {} are not known: answers are compared with the "
                      "highest mode alone",
                      twin_.id));
    if (const std::string gap = twin_power_gap(twin_); !gap.empty()) add(gap);
    return gaps;
  }

  // Over what decides its numbers.
  static uint64_t constants_hash(const TwinBoard& twin) {
    std::string text = format_twin_constants(twin.constants);
    for (const Axis& axis : twin.axes) {
      text += axis.name;
      for (double value : axis.values) text += format_number(value) + ",";
    }
    text += fmt::format("{} {} {} {} {}", twin.mem_mhz, twin.capacity.memory_bytes,
                        twin.capacity.system_bytes, twin.capacity.libtorch_bytes, twin.kept_bytes);
    for (const TwinRail& rail : twin.rails) {
      text += rail.name + (rail.module ? "+" : "-");
      for (const bool carried : rail.carries) text += carried ? "1" : "0";
    }
    for (const TwinStorage& storage : twin.storages)
      text += fmt::format("{} {} {} {} {}", storage.name, storage.mb_per_s, storage.latency_ms,
                          storage.at_once, storage.serial);
    return content_hash(text);
  }

  TwinBoard twin_;
  BoardInfo info_;
  std::shared_ptr<PowerMode> mode_ = std::make_shared<PowerMode>();
};

}  // namespace

Result<std::unique_ptr<Board>> open_twin_board(const BoardName& name,
                                               const std::filesystem::path&) {
  FLYBALL_ASSIGN(const IndividualName individual, parse_individual(name.argument));
  FLYBALL_ASSIGN(const TwinBoard kind, find_twin_board(individual.kind));
  return std::unique_ptr<Board>(std::make_unique<SimulatedBoard>(name, kind, individual.number));
}

}  // namespace flyball
