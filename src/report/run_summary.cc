#include <fmt/format.h>

#include "answers/stored_json.h"
#include "base/figure.h"
#include "base/json.h"
#include "base/text.h"
#include "report/run_report.h"
#include "store/board_fact.h"

namespace flyball {
namespace {

std::string workload_of(const Json& request) {
  for (const char* key : {"experiment", "workload", "import", "board"})
    if (const std::string one = text_of(request, key); !one.empty()) return one;
  std::vector<std::string> names;
  for (const Json& role : list_of(request, "roles")) names.push_back(text_of(role, "workload"));
  return join(names, " + ");
}

// A cost may be typed as a limit; of what is trained more is better.
std::string figure(const Json& holder, const char* key, const std::string& unit) {
  const auto value = number_of(holder, key);
  if (!value) return "";
  const bool cost = !unit.starts_with("training");
  return fmt::format("{} {}", cost ? upper_figure(*value) : number(*value, 4), unit);
}

std::string joined(const std::string& first, const std::string& second) {
  return first + (first.empty() || second.empty() ? "" : ", ") + second;
}

// What a board draws at idle, and in which mode: that which was set, else that it was in.
void take_idle(const Json& idle, RunSummary& summary) {
  summary.best = figure(idle, "power_w", "W");
  summary.choice = describe(settings_of(value_at(idle, "mode")));
  if (summary.choice.empty()) summary.choice = describe(settings_of(value_at(idle, "caps")));
}

}  // namespace

RunSummary summary_of(const StoredRun& run) {
  const Json answer = stored_answer(run);
  const Json request = stored_document(run.request.request);
  RunSummary summary{workload_of(request), "", ""};
  if (text_of(request, "board") == board_fact_name(BoardFactKind::idle_power)) {
    take_idle(answer, summary);
    return summary;
  }
  const Json choice = value_at(answer, "choice");
  if (choice.contains("roles")) {
    summary.best =
        joined(figure(choice, "value", text_of(choice, "value_unit")),
               text_of(choice, "value_unit") == "W" ? "" : figure(choice, "power_w", "W"));
    summary.choice = text_of(choice, "text");
  } else if (choice.is_object()) {
    // Minibatches of unlike size do not compare.
    const bool per_sample = text_of(answer, "per") == "sample";
    const std::string sample = per_sample ? figure(choice, "sample_ms", "ms per sample") : "";
    summary.best = joined(sample.empty() ? figure(choice, "minibatch_ms", "ms") : sample,
                          figure(choice, "power_w", "W"));
    summary.choice = describe(settings_of(choice["config"]));
  } else if (!list_of(answer, "windows").empty()) {
    summary.best = figure(answer, "value", text_of(answer, "value_unit"));
    summary.choice = fmt::format("{} windows", list_of(answer, "windows").size());
  } else if (const Json no = value_at(answer, "infeasible"); no.is_object()) {
    const bool failed = text_of(no, "code") == code_name(Code::unavailable);
    summary.best = failed ? "every trial failed" : "nothing feasible";
  }
  return summary;
}

}  // namespace flyball
