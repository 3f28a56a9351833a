#include "cli/stored.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "base/clock.h"
#include "base/json.h"
#include "telemetry/sampling/time_stamp.h"

namespace flyball::cli {
namespace {

// It begins when the mode is set; how long it settled and was measured its document says.
std::string end_of(const BoardFact& fact) {
  const auto begun = parse_time_stamp(fact.measured_utc);
  const Json document = Json::parse(fact.json, nullptr, false);
  if (!begun || !document.is_object()) return fact.measured_utc;
  return utc_text(*begun + number_of(document, "settle_s").value_or(0) +
                  number_of(document, "seconds").value_or(0));
}

StoredRun as_run(const BoardFact& fact) {
  StoredRun run;
  run.id = fact.id;
  const SortedJson request = {{"board", board_fact_name(fact.kind)}};
  run.request = {fact.command, request.dump(), fact.device, fact.fingerprint};
  run.started_utc = fact.measured_utc;
  run.finished_utc = end_of(fact);
  run.state = RunState::done;
  run.answer = fact.json;
  run.origin = fact.origin;
  return run;
}

Result<Store> note_unclean(Result<Store> store) {
  if (store && store->wants_check())
    fmt::print(stderr,
               "note: the last writer of the store {} did not end properly; `flyball runs check` "
               "says whether it is whole\n",
               store->path().string());
  return store;
}

}  // namespace

std::filesystem::path store_place(const std::string& named) {
  return named.empty() ? Store::default_place() : std::filesystem::path(named);
}

Result<Store> open_stored(const std::string& place) {
  return note_unclean(Store::open_to_read(store_place(place), {.create = place.empty()}));
}

Result<Store> open_store(const std::string& place) {
  return note_unclean(Store::open(store_place(place)));
}

SeenStore look_at_store(const StoreArguments& options) {
  const std::filesystem::path place = store_place(options.place);
  std::error_code ignored;
  if (options.none || !std::filesystem::exists(Store::file_of(place), ignored)) return {};
  auto found = Store::open_to_read(place, {.create = false, .migrate = false});
  if (!found) return {.unread = "the store was not looked at: " + found.error().message};
  return {.store = *std::move(found)};
}

Result<std::vector<StoredRun>> runs_and_facts(Store& store) {
  FLYBALL_ASSIGN(std::vector<StoredRun> runs, store.runs());
  FLYBALL_ASSIGN(const std::vector<BoardFact> facts, store.facts({}));
  std::ranges::transform(facts, std::back_inserter(runs), as_run);
  std::ranges::sort(runs, std::ranges::greater(),
                    [](const StoredRun& run) { return std::tie(run.started_utc, run.id); });
  return runs;
}

Result<ShownRun> run_or_fact(Store& store, int64_t number) {
  FLYBALL_ASSIGN(const std::vector<BoardFact> facts, store.facts({.id = number}));
  ShownRun shown;
  if (!facts.empty()) {
    shown.run = as_run(facts.front());
    return shown;
  }
  FLYBALL_ASSIGN(shown.run, store.run(number));
  FLYBALL_ASSIGN(shown.trials, store.run_measurements(number));
  FLYBALL_ASSIGN(shown.experiment_runs, stored_figures(store, {.run = number}));
  return shown;
}

void tell_left_out(const LeftOutTrials& left_out) {
  if (left_out.all() == 0) return;
  const bool taken = left_out.simulated + left_out.predicted > 0;
  fmt::print(
      stderr, "note: {} are left out ({})\n", left_out.words(),
      taken ? "--accept takes simulated and predicted ones" : "`flyball runs show` lists them");
}

}  // namespace flyball::cli
