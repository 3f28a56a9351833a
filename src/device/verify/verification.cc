#include "device/verify/verification.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/json.h"

namespace flyball {
namespace {

Json value_json(const TriedValue& value) {
  return {{"asked", value.asked},
          {"read_back", or_null(value.read_back)},
          {"clock", or_null(value.clock)},
          {"set_ms", value.set_ms},
          {"failure", text_or_null(value.failure)}};
}

Json step_json(const CheckedStep& step) {
  return {{"name", step.name},
          {"verdict", verdict_name(step.verdict)},
          {"found", step.found},
          {"details", step.details},
          {"hint", text_or_null(step.hint)},
          {"seconds", step.seconds}};
}

Json knob_json(const KnobCheck& knob) {
  Json values = Json::array();
  for (const TriedValue& value : knob.values) values.push_back(value_json(value));
  return {{"axis", knob.axis},
          {"unit", knob.unit},
          {"ceiling", knob.ceiling},
          {"values", values},
          {"restored", knob.restored}};
}

Json rail_json(const RailCheck& rail) {
  return {{"name", rail.name},
          {"total", text_or_null(rail.total)},
          {"power_w", rail.power_w},
          {"least_w", rail.least_w},
          {"most_w", rail.most_w},
          {"readings", rail.readings},
          {"changes", rail.changes},
          {"tegrastats_w", or_null(rail.tegrastats_w)},
          {"difference_pct", or_null(rail.difference_pct)}};
}

template <class T>
Json list_json(const std::vector<T>& list, Json (*one)(const T&)) {
  Json json = Json::array();
  for (const T& item : list) json.push_back(one(item));
  return json;
}

}  // namespace

const char* verdict_name(Verdict verdict) {
  switch (verdict) {
    case Verdict::passed:
      return "passed";
    case Verdict::failed:
      return "failed";
    case Verdict::left_out:
      return "left out";
  }
  return "failed";
}

size_t Verification::count(Verdict verdict) const {
  return static_cast<size_t>(std::ranges::count(steps, verdict, &CheckedStep::verdict));
}

Json verification_json(const Verification& verification) {
  const BoardIdentity& board = verification.board;
  return {{"flyball", FLYBALL_VERSION},
          {"board",
           {{"id", board.id},
            {"name", board.name},
            {"jetpack", text_or_null(board.jetpack())},
            {"release", text_or_null(board.release)},
            {"known_by", text_or_null(board.known_by)}}},
          {"tree", verification.tree},
          {"quick", verification.quick},
          {"started_utc", verification.started_utc},
          {"seconds", verification.seconds},
          {"passed", verification.count(Verdict::passed)},
          {"failed", verification.count(Verdict::failed)},
          {"left_out", verification.count(Verdict::left_out)},
          {"steps", list_json(verification.steps, step_json)},
          {"knobs", list_json(verification.knobs, knob_json)},
          {"rails", list_json(verification.rails, rail_json)}};
}

std::string step_text(const CheckedStep& step) {
  constexpr int verdict_width = 9, name_width = 16;
  std::string text = fmt::format("{:<{}} {:<{}} {}\n", verdict_name(step.verdict), verdict_width,
                                 step.name, name_width, step.found);
  const std::string indent(verdict_width + name_width + 2, ' ');
  if (step.verdict == Verdict::failed)
    for (const std::string& detail : step.details) text += fmt::format("{}{}\n", indent, detail);
  if (step.verdict != Verdict::passed && !step.hint.empty())
    text += fmt::format("{}HINT: {}\n", indent, step.hint);
  return text;
}

}  // namespace flyball
