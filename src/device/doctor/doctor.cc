#include "device/doctor/doctor.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/json.h"
#include "device/doctor/machine_checks.h"

namespace flyball {
namespace {

void append(std::vector<Capability>& all, std::vector<Capability> more) {
  std::ranges::move(more, std::back_inserter(all));
}

}  // namespace

const char* capability_state_name(Capability::State state) {
  switch (state) {
    case Capability::State::available:
      return "available";
    case Capability::State::missing:
      return "missing";
    case Capability::State::no_permission:
      return "no permission";
  }
  return "missing";
}

std::vector<Capability> examine_machine(const DoctorOptions& options) {
  std::vector<Capability> all{check_bare_metal(options.root)};
  append(all, check_power(options.root));
  append(all, check_cpu(options.root));
  append(all, check_memory_and_disks(options.root));
  all.push_back(check_sessions(options.root));
  if (options.ask_kernel) {
    append(all, check_kernel());
    append(all, check_cuda());
  }
  append(all, options.more);
  return all;
}

Json doctor_json(const std::vector<Capability>& capabilities, const BoardReport& board) {
  Json json;
  bool power = false;
  json["capabilities"] = Json::array();
  for (const Capability& c : capabilities) {
    power |= c.name.starts_with("power") && c.state == Capability::State::available;
    json["capabilities"].push_back({{"name", c.name},
                                    {"purpose", c.purpose},
                                    {"state", capability_state_name(c.state)},
                                    {"value", c.value},
                                    {"remedy", c.remedy}});
  }
  json["power_measurable"] = power;
  json.update(board_json(board));
  return json;
}

std::string doctor_text(const std::vector<Capability>& capabilities, const BoardReport& board) {
  size_t width = 0;
  for (const Capability& c : capabilities) width = std::max(width, c.name.size());
  std::string text = board_text(board);
  for (const Capability& c : capabilities) {
    const char* mark = c.state == Capability::State::available ? "yes" : "no ";
    text += fmt::format("{}  {:<{}}  {}\n", mark, c.name, width, c.value);
    if (c.state == Capability::State::available) continue;
    text += fmt::format("     {:<{}}  for: {}\n", "", width, c.purpose);
    if (!c.remedy.empty()) text += fmt::format("     {:<{}}  HINT: {}\n", "", width, c.remedy);
  }
  return text;
}

}  // namespace flyball
