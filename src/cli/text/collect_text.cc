#include "cli/text/collect_text.h"

#include <fmt/format.h>

#include "cli/output.h"

namespace flyball::cli {

std::string collect_text(const std::vector<CollectOutcome>& outcomes) {
  TextTable table({"store", "new runs", "gone on", "known", "running", "measurements",
                   "runs of experiments", "facts"});
  const auto count = [](size_t number) { return fmt::format("{}", number); };
  for (const CollectOutcome& outcome : outcomes) {
    if (!outcome.taken) continue;
    const Collected& taken = *outcome.taken;
    table.add({outcome.source, count(taken.new_runs), count(taken.changed_runs),
               count(taken.known_runs), count(taken.running_runs), count(taken.measurements),
               count(taken.experiment_runs), count(taken.facts)});
  }
  return table.empty() ? "" : table.str();
}

}  // namespace flyball::cli
