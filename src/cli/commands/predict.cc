#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/files.h"
#include "base/json.h"
#include "base/statistics.h"
#include "base/text.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/option_scope.h"
#include "cli/output.h"
#include "cli/prior_options.h"
#include "cli/stored.h"
#include "cli/tables.h"
#include "predictors/registry.h"
#include "tune/mode_prediction.h"
#include "twin/twin.h"

namespace flyball::cli {
namespace {

struct PredictArguments {
  std::string workload, phase, device, predictor = default_predictor(), prior = "twin", out, store;
  bool store_given = false, prior_given = false;
  std::vector<std::string> from;
  ReferenceOptions references;
  uint64_t seed = 1;
  Accepted accepted;
  bool json = false;
};

Result<std::optional<Phase>> wanted_phase(const PredictArguments& options) {
  if (options.phase.empty()) return std::optional<Phase>();
  FLYBALL_ASSIGN(const Phase phase, parse_phase(options.phase));
  return std::optional<Phase>(phase);
}

// What the store holds of this workload on this board.
Result<WorkloadTable> from_store(const PredictArguments& options, const KnownModes& modes,
                                 std::vector<int64_t>& runs) {
  FLYBALL_ASSIGN(Store store, open_stored(options.store));
  MeasurementFilter filter;
  filter.device = modes.device;
  filter.workload = options.workload;
  FLYBALL_ASSIGN(filter.phase, wanted_phase(options));
  // Of others of its kind, whose stores were collected into this one, nothing is known of this one.
  filter.own = modes.here;
  if (modes.simulated) filter.fingerprint = modes.fingerprint;
  Accepted accepted = options.accepted;
  if (modes.simulated) {
    filter.provenance = Provenance::simulated;
    accepted.simulated = true;
  }
  FLYBALL_ASSIGN(StoredWorkload stored, stored_workload(store, filter, accepted));
  tell_left_out(stored.left_out);
  runs = stored.runs;
  return std::move(stored.table);
}

Result<WorkloadTable> from_board_table(const PredictArguments& options, const KnownModes& modes) {
  FLYBALL_ASSIGN(const auto phase, wanted_phase(options));
  const Table all{options.device, modes.tables};
  const auto found = options.workload.empty() ? all.only(phase) : all.find(options.workload, phase);
  if (!found)
    return Error{Code::invalid_argument, found.error().message,
                 found.error().hint + "; or give its measurements with --from FILE"};
  return measured_part(**found, options.device, options.accepted);
}

// `runs`: of the store, that measured it; empty where files or a table did.
Result<WorkloadTable> read_measured(const PredictArguments& options, const KnownModes& modes,
                                    std::vector<int64_t>& runs) {
  std::vector<WorkloadTable> parts;
  for (const std::string& path : options.from) {
    FLYBALL_ASSIGN(WorkloadTable part,
                   read_workload(path, options.workload, options.phase, options.accepted));
    parts.push_back(std::move(part));
  }
  if ((!parts.empty() || !modes.tables.empty()) && options.store_given)
    return Error{Code::invalid_argument,
                 fmt::format("the measurements are those of {}: --store changes nothing",
                             parts.empty() ? options.device : join(options.from, ", ")),
                 "leave --store out, or name neither a table nor --from"};
  if (!parts.empty()) return joined(parts, options.from);
  if (!modes.tables.empty()) return from_board_table(options, modes);
  if (options.workload.empty())
    return Error{Code::invalid_argument, "there is no workload to predict",
                 "name one that the store has measurements of (`flyball runs list`), or give a "
                 "table with --from FILE"};
  auto stored = from_store(options, modes, runs);
  if (stored.ok() || stored.error().code != Code::not_found) return stored;
  FLYBALL_ASSIGN(const auto phase, wanted_phase(options));
  auto nothing = unmeasured_workload(modes, options.workload, phase.value_or(Phase::train));
  if (nothing.ok()) return nothing;
  // Whose name nobody knows is told that first, whatever else is wrong with the store.
  if (modes.twin && !modes.spaces.empty())
    return Error{Code::not_found,
                 fmt::format("{}, and {}", nothing.error().message, stored.error().message),
                 nothing.error().hint + (nothing.error().hint.ends_with('?') ? " Else" : "; or") +
                     " give measurements with --from FILE"};
  return stored;
}

struct Answer {
  CompletedTable all;
  bool simulated = false;     // what was profiled
  std::vector<int64_t> runs;  // of the store, whose measurements they are
  std::vector<std::string> references;
};

// The references of a board that lists no modes itself. That nobody knows it is told before a store
// is looked for.
Result<std::vector<WorkloadTable>> listing_references(const PredictArguments& options,
                                                      const KnownModes& modes) {
  if (!modes.spaces.empty()) return std::vector<WorkloadTable>();
  FLYBALL_ASSIGN(auto references, options.references.gather(modes.device, options.accepted));
  FLYBALL_ASSIGN([[maybe_unused]] const auto spaces, spaces_of(modes, references));
  return references;
}

// Watts of another total than the twin's own are other watts: 30 % more where DRAM counts twice.
void note_other_total(CompletedTable& all, const TwinBoard& twin) {
  const std::string own = twin_power_total(twin), &total = all.table.power_total;
  if (own.empty() || total == own || summarise(all).power_w.empty()) return;
  all.notes.push_back(
      total.empty()
          ? fmt::format("what was profiled does not name its power total: its watts count as all "
                        "labelled rails added up, those of {} are its {}'s (a column power_total "
                        "names the total)",
                        twin.id, own)
          : fmt::format("power is of {}, as what was profiled is; the own total of {} is {}", total,
                        twin.id, own));
}

Result<Answer> predict(const PredictArguments& options) {
  FLYBALL_ASSIGN(KnownModes modes, known_modes(options.device));
  if (options.prior_given && options.prior != "none") FLYBALL_CHECK(check_told(options.predictor));
  FLYBALL_ASSIGN(modes.twin, prior_board(options.prior, modes.device, options.prior_given));
  FLYBALL_ASSIGN(auto references, listing_references(options, modes));
  Answer answer;
  FLYBALL_ASSIGN(const WorkloadTable measured, read_measured(options, modes, answer.runs));
  answer.simulated =
      std::ranges::find(measured.provenance, Provenance::simulated) != measured.provenance.end();
  if (references.empty()) {
    FLYBALL_ASSIGN(references, options.references.gather(measured.device, options.accepted));
  }
  FLYBALL_ASSIGN(answer.all,
                 predict_modes(measured, modes, references, options.predictor, options.seed));
  for (const WorkloadTable& reference : references) answer.references.push_back(reference.title());
  if (measured.size() == 0)
    answer.all.notes.push_back(
        fmt::format("nothing of it was measured: it is predicted from its layers and the constants "
                    "of the twin of {}{}{}",
                    modes.twin->id, references.empty() ? " alone" : ", with references",
                    modes.twin->calibrated.empty()
                        ? "; these were fitted to no measurement of it, and may lie farther off"
                        : ""));
  if (modes.simulated && modes.twin) note_other_total(answer.all, *modes.twin);
  if (answer.simulated)
    answer.all.notes.emplace_back("what was profiled is simulated: so is what is predicted of it");
  return answer;
}

Json range_json(const std::vector<double>& values, const std::vector<double>& widths) {
  if (values.empty()) return nullptr;
  return {{"min", quantile(values, 0)},
          {"median", median(values)},
          {"max", quantile(values, 1)},
          {"interval90_pct", median(widths)}};
}

void print_answer_json(const PredictArguments& options, const Answer& answer) {
  const PredictionSummary summary = summarise(answer.all);
  Json document = {{"workload", answer.all.table.workload},
                   {"phase", phase_name(answer.all.table.phase)},
                   {"device", answer.all.table.device},
                   {"predictor", options.predictor},
                   {"seed", options.seed},
                   {"runs", answer.runs},
                   {"references", answer.references},
                   {"configurations", answer.all.table.size()},
                   {"profiled", answer.all.profiled},
                   {"predicted", summary.predicted},
                   {"extrapolated", summary.extrapolated},
                   {"minibatch_ms", range_json(summary.time_ms, summary.time_pct)},
                   {"power_w", range_json(summary.power_w, summary.power_pct)},
                   {"power_total", answer.all.table.power_total},
                   {"out", options.out.empty() ? Json(nullptr) : Json(options.out)},
                   {"notes", answer.all.notes}};
  print_json(document);
}

// Intervals are as far above in ratio as below: beyond ± 100 % that factor says more.
std::string interval_text(double half_width_pct) {
  if (half_width_pct <= 100) return fmt::format("±{} %", number(half_width_pct));
  const double half = half_width_pct / 100;  // of (f - 1/f)
  return fmt::format("within a factor of {}", number(half + std::sqrt(half * half + 1)));
}

void print_text(const PredictArguments& options, const Answer& answer) {
  const CompletedTable& all = answer.all;
  const PredictionSummary summary = summarise(all);
  fmt::print("{}: {} configurations, {} profiled, {} predicted by {}", all.table.title(),
             all.table.size(), all.profiled, summary.predicted, options.predictor);
  if (summary.extrapolated > 0)
    fmt::print(" ({} of them outside of the profiled ones)", summary.extrapolated);
  fmt::print("\n\n");
  TextTable table({"predicted", "least", "median", "most", "90 % interval"});
  const auto add = [&](const std::string& name, const auto& values, const auto& widths) {
    if (values.empty()) return;
    const double width = median(widths);  // NaN: of predictions that a table holds without interval
    table.add({name, number(quantile(values, 0)), number(median(values)),
               number(quantile(values, 1)), std::isnan(width) ? "-" : interval_text(width)});
  };
  add("minibatch ms", summary.time_ms, summary.time_pct);
  const std::string& total = all.table.power_total;
  add(total.empty() ? "power W" : fmt::format("power W ({})", total), summary.power_w,
      summary.power_pct);
  if (!table.empty()) fmt::print("{}\n", table.str());
  if (!answer.runs.empty()) {
    std::vector<std::string> numbers;
    for (const int64_t run : answer.runs) numbers.push_back(std::to_string(run));
    fmt::print("{} by run{} {} of the store (`flyball runs show`)\n",
               answer.simulated ? "simulated" : "measured", numbers.size() == 1 ? "" : "s",
               join(numbers, ", "));
  }
  for (const std::string& reference : answer.references) fmt::print("reference: {}\n", reference);
  for (const std::string& note : all.notes) fmt::print("note: {}\n", note);
  if (!options.out.empty()) fmt::print("table: {}\n", options.out);
}

Status run(const PredictArguments& options) {
  FLYBALL_ASSIGN(const Answer answer, predict(options));
  if (!options.out.empty()) FLYBALL_CHECK(write_file(options.out, format_completed(answer.all)));
  if (options.json)
    print_answer_json(options, answer);
  else
    print_text(options, answer);
  return {};
}

}  // namespace

void add_predict(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "predict", "Predict time and power of every mode of a board from a few profiled ones");
  auto options = std::make_shared<PredictArguments>();
  command->add_option("workload", options->workload,
                      "Workload, as its measurements name it; default: the table's only one");
  add_device_option(
      *command, options->device,
      {.otherwise = "or the name of a board, as references have it", .may_be_absent = true})
      ->required();
  command->add_option("--from", options->from,
                      "Measurements of the workload; default: those of the table or the store (a "
                      "network that the board's twin knows needs none)");
  takes_one_of(command->add_option("--phase", options->phase, "Phase"), {"train", "infer"});
  add_reference_options(*command, options->references);
  add_accept_option(*command, options->accepted);
  note_given(add_prior_option(*command, options->prior), options->prior_given);
  add_predictor_option(*command, options->predictor);
  add_seed(*command, options->seed);
  add_store_option(*command, options->store);
  note_given(command->get_option("--store"), options->store_given);
  writes(command->add_option("--out", options->out, "Write the table here (CSV)"));
  add_json_flag(*command, options->json);
  command->footer(
      "Example:\n  flyball predict mobilenet_v3 --device table:modes.csv --from profiled.csv "
      "--reference earlier.csv --out table.csv");
  set_action(*command, context, [options] { return run(*options); });
}

}  // namespace flyball::cli
