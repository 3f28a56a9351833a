#include "cli/dry_run.h"

#include <fmt/format.h>

#include "base/json.h"
#include "cli/output.h"
#include "cli/stored.h"

namespace flyball::cli {

void add_dry_run(CLI::App& command, bool& dry_run) {
  command.add_flag(
      "--dry-run", dry_run,
      "say what would be measured and set, and what the store holds of it; do nothing");
}

Status show_dry_run(const SharedBoard& board, const StoreOptions& store, const Request& request,
                    bool json) {
  std::optional<Store> opened;
  std::string unread;
  const std::filesystem::path place = Store::file_of(store_place(store.place));
  std::error_code ignored;
  if (!store.none && std::filesystem::exists(place, ignored)) {
    auto found = Store::open_to_read(place);
    if (found)
      opened.emplace(*std::move(found));
    else
      unread = found.error().message;
  }
  FLYBALL_ASSIGN(DryRun dry, dry_run(board, opened ? &*opened : nullptr, request));
  if (!unread.empty()) dry.notes.push_back("the store was not looked at: " + unread);
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
