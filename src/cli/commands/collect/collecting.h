// What `flyball collect` and campaigns share: collecting with progress, and saying what came of it.
#pragma once

#include <string>
#include <vector>

#include "cli/commands.h"
#include "collect/collect_stores.h"

namespace flyball::cli {

/// Tells on stderr how far it is unless `quiet`; Ctrl-C leaves what is not begun.
Result<std::vector<CollectOutcome>> collect_with_progress(const std::vector<CollectSource>& sources,
                                                          const std::string& into, size_t jobs,
                                                          bool quiet);
/// Why stores were not taken, on stderr; the last one decides the exit code.
void report_not_collected(const std::vector<CollectOutcome>& outcomes, Context& context);
/// As one document or as text on stdout, and what was not taken on stderr.
void tell_collected(const std::vector<CollectOutcome>& outcomes, const std::string& into, bool json,
                    Context& context);

}  // namespace flyball::cli
