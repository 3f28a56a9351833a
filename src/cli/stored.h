// The store, for commands that only look at what is in it.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "cli/common_options.h"
#include "experiment/stored_figures.h"
#include "store/stored_trials.h"

namespace flyball::cli {

/// Where the store is that `--store` names: a file or a folder; "" names the default one.
std::filesystem::path store_place(const std::string& named);
/// The store that `--store` names, which must be there, else the default one, which may be new.
Result<Store> open_stored(const std::string& place);
/// The same store, opened, or made, to write to it.
Result<Store> open_store(const std::string& place);

/// The store as a dry run looks at it.
struct SeenStore {
  std::optional<Store> store{};  ///< nothing: there is none, or it cannot be read
  std::string unread{};          ///< a note on why it cannot be read
};
/// Makes no store, and brings none up to date.
SeenStore look_at_store(const StoreArguments& options);

/// Runs and facts about boards, as one list: a fact is shown as a run without trials, its kind
/// under `board` of the request. Latest first.
Result<std::vector<StoredRun>> runs_and_facts(Store& store);
/// One of them with its trials, or with the measured runs of an experiment; a fact has neither.
struct ShownRun {
  StoredRun run;
  std::vector<StoredMeasurement> trials;
  std::vector<StoredFigures> experiment_runs;
};
Result<ShownRun> run_or_fact(Store& store, int64_t number);

/// "note: 2 disturbed trials are left out" on stderr; nothing where all count.
void tell_left_out(const LeftOutTrials& left_out);

}  // namespace flyball::cli
