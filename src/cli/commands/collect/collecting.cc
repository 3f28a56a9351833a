#include "cli/commands/collect/collecting.h"

#include <fmt/format.h>

#include "base/os/interrupt.h"
#include "cli/output.h"
#include "cli/text/collect_text.h"

namespace flyball::cli {

Result<std::vector<CollectOutcome>> collect_with_progress(const std::vector<CollectSource>& sources,
                                                          const std::string& into, size_t jobs,
                                                          bool quiet) {
  catch_interrupts();
  set_interrupt_patience(0);
  Progress progress(quiet);
  CollectRun run{.jobs = jobs, .cancelled = &interrupt_flag()};
  run.told = [&](size_t done, size_t all, const std::string& source) {
    progress.show(done, all, source);
  };
  auto outcomes = collect_stores(sources, into, run);
  progress.finish();
  return outcomes;
}

void report_not_collected(const std::vector<CollectOutcome>& outcomes, Context& context) {
  for (const CollectOutcome& outcome : outcomes)
    if (outcome.error) context.exit_code = report_error(*outcome.error);
}

void tell_collected(const std::vector<CollectOutcome>& outcomes, const std::string& into, bool json,
                    Context& context) {
  if (json)
    print_json(to_json(outcomes, into));
  else
    fmt::print("{}", collect_text(outcomes));
  report_not_collected(outcomes, context);
}

}  // namespace flyball::cli
