#include "cli/common_options.h"

#include <fmt/format.h>

#include "base/os/told_errors.h"
#include "base/text.h"
#include "cli/checks.h"
#include "cli/quantities.h"
#include "cli/stored.h"
#include "cli/tables.h"
#include "predict/design/design.h"
#include "predictors/registry.h"
#include "schedule/planning/arrival_plan.h"
#include "search/registry.h"

namespace flyball::cli {
namespace {

template <class Entry>
std::vector<std::string> list_of(const std::vector<Entry>& entries) {
  std::vector<std::string> names;
  for (const Entry& entry : entries) names.push_back(entry.name);
  return names;
}

template <class Entry>
std::string names_of(const std::vector<Entry>& entries) {
  return join(list_of(entries), ", ");
}

std::string thread_count_error(const std::string& text) {
  const auto threads = parse_integer(text);
  if (threads && *threads >= 0 && *threads <= 4096) return "";
  return fmt::format("'{}' is not a whole number from 0 to 4096", text);
}

}  // namespace

CLI::Option* add_seed(CLI::App& command, uint64_t& seed, const std::string& help) {
  return command.add_option("--seed", seed, help)->capture_default_str();
}

void add_quiet(CLI::App& command, bool& quiet) {
  command.add_flag("--quiet,-q", quiet, "Show no progress");
}

CLI::Option* add_fresh(CLI::App& command, bool& fresh) {
  return command.add_flag("--fresh", fresh, "Measure again what was measured before");
}

CLI::Option* add_data_option(CLI::App& command, std::string& data) {
  return command.add_option("--data", data,
                            "Dataset folder of networks; default: drawn into the cache folder");
}

CLI::Option* add_preference(CLI::App& command, Preference& preference) {
  return offers(command.add_option_function<std::string>(
                    "--prefer",
                    [&preference](const std::string& text) {
                      const auto parsed = parse_preference(text);
                      if (!parsed)
                        throw CLI::ValidationError("--prefer", in_one_line(parsed.error()));
                      preference = *parsed;
                    },
                    "What counts more: latency (the soonest answers expected to keep 99 % of the "
                    "training), training (batches start as late as is safe), or the median latency "
                    "that 1 % of training is worth, such as 5ms"),
                {"latency", "training"})
      ->default_str("latency");
}

CLI::Option* add_margin(CLI::App& command, ClientMargin& margin, const std::string& usual) {
  return add_duration(
      command, "--margin", [&margin](Seconds time) { margin = {.least_ms = time.value * 1e3}; },
      "Part of the latency budget that is kept for the way to the client and back; default: " +
          usual,
      {0, 3600, "0s to 1h"});
}

CLI::Option* add_percentile(CLI::App& command, double& percentile, const std::string& help) {
  return command.add_option("--percentile", percentile, help)
      ->check(CLI::Range(least_percentile, most_percentile))
      ->capture_default_str();
}

void add_threads(CLI::App& command, size_t& threads) {
  command
      .add_option("--threads", threads,
                  "Threads to compute with, figures do not depend on it; 0: all cores")
      ->check(CLI::Validator(thread_count_error, ""))
      ->capture_default_str();
}

std::string predictor_names() {
  return names_of(predictors());
}

std::vector<std::string> design_words() {
  return list_of(designs());
}

std::string design_names() {
  return names_of(designs());
}

CLI::Option* add_predictor_option(CLI::App& command, std::string& predictor) {
  return takes_one_of(
             command.add_option("--predictor", predictor, "Predictor: " + predictor_names()),
             list_of(predictors()))
      ->capture_default_str();
}

void add_predictors_option(CLI::App& command, std::vector<std::string>& several) {
  takes_one_of(command.add_option("--predictor", several, "Predictors: " + predictor_names()),
               list_of(predictors()))
      ->delimiter(',')
      ->capture_default_str();
}

CLI::Option* add_strategy_option(CLI::App& command, std::string& strategy) {
  return takes_one_of(
             command.add_option("--strategy", strategy, "Strategy: " + names_of(strategies())),
             list_of(strategies()))
      ->capture_default_str();
}

void choose_strategy(Request& request, bool searches, bool live) {
  if (!live && !searches && !request.profiles_asked) request.strategy = "exact";
}

Result<std::optional<Store>> StoreArguments::open() const {
  if (none) return std::optional<Store>();
  FLYBALL_ASSIGN(Store store, open_store(place));
  return std::optional<Store>(std::move(store));
}

void add_store_option(CLI::App& command, std::string& place) {
  command.add_option("--store", place, "Where measurements are kept");
}

void add_store_options(CLI::App& command, StoreArguments& store, const std::string& none_help) {
  add_store_option(command, store.place);
  command.add_flag("--no-store", store.none, none_help)->excludes(command.get_option("--store"));
}

Result<std::vector<WorkloadTable>> ReferenceOptions::gather(const std::string& device,
                                                            Accepted accepted) const {
  return gather_references(files, device, !only_named, accepted);
}

Result<std::vector<WorkloadTable>> ReferenceOptions::gather(
    const std::vector<const Profiler*>& profilers, const std::string& strategy,
    Accepted accepted) const {
  std::vector<const WorkloadTable*> searched;
  for (const Profiler* one : profilers)
    if (one->table() && !knows_all(strategy)) searched.push_back(one->table());
  return gather_references(files, profilers.front()->info().device, !only_named, accepted,
                           searched);
}

CLI::Option* add_reference_option(CLI::App& command, std::vector<std::string>& files) {
  return command.add_option("--reference", files, "Table of earlier workloads");
}

CLI::Option* add_reference_options(CLI::App& command, ReferenceOptions& references) {
  command.add_flag("--no-reference", references.only_named,
                   "Leave out the references kept for this board (`flyball reference list`)");
  return add_reference_option(command, references.files);
}

}  // namespace flyball::cli
