#include "cli/dry_run.h"

#include <fmt/format.h>

#include "base/json.h"
#include "cli/output.h"
#include "cli/stored.h"

namespace flyball::cli {

CLI::Option* add_dry_run(CLI::App& command, bool& dry_run) {
  return command.add_flag(
      "--dry-run", dry_run,
      "Say what would be measured and set, and what the store holds of it; do nothing");
}

Status show_dry_run(const SharedBoard& board, const StoreArguments& store, const Request& request,
                    const std::shared_ptr<const Problem>& problem, bool json, size_t searches) {
  SeenStore seen = look_at_store(store);
  FLYBALL_ASSIGN(DryRun dry,
                 dry_run(board, seen.store ? &*seen.store : nullptr, request, problem, searches));
  if (!seen.unread.empty()) dry.notes.push_back(seen.unread);
  return print_dry_run(dry, json);
}

Status print_dry_run(const DryRun& dry, bool json) {
  if (json)
    print_json(to_json(dry));
  else
    fmt::print("{}", dry_run_text(dry));
  return {};
}

}  // namespace flyball::cli
