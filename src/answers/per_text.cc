#include "answers/per_text.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace flyball {
namespace {

constexpr std::array<std::string_view, 3> by_rate = {"throughput", "energy", "energy_per_token"};

}  // namespace

std::string served_figure(const ProfilerInfo& info) {
  const auto figure = info.conditions.find(figure_condition);
  return figure == info.conditions.end() ? "" : figure->second;
}

bool tells_energy(const ProfilerInfo& info) {
  const std::string figure = served_figure(info);
  return figure.empty() || std::ranges::find(by_rate, figure) != by_rate.end();
}

std::string time_name(const ProfilerInfo& info) {
  if (tells_energy(info)) return "time";
  const std::string figure = served_figure(info);
  return figure == "power" ? "latency" : figure;  // which it is where power is to be small
}

std::string counted_by(const ProfilerInfo& info) {
  const auto counted = info.conditions.find(counted_condition);
  return counted == info.conditions.end() ? "" : counted->second;
}

std::string per_text(const TuneResult& result) {
  const std::string counted = counted_by(result.board());
  return counted.empty() ? per_name(result.per) : counted;
}

}  // namespace flyball
