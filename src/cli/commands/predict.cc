#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/files.h"
#include "base/statistics.h"
#include "base/text.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/stored.h"
#include "cli/tables.h"
#include "device/measuring.h"
#include "device/registry/board.h"
#include "predict/registry/complete.h"
#include "predict/registry/registry.h"
#include "space/trial_facts.h"
#include "store/exchange.h"

namespace flyball::cli {
namespace {

struct Options {
  std::string workload, phase, device, predictor = default_predictor(), out, store;
  std::vector<std::string> from, references;
  uint64_t seed = 1;
  Accepted accepted;
  bool json = false, no_reference = false;
};

// Where the modes are listed, and which board it is.
struct Modes {
  std::string device;  // name of the board
  std::vector<Space> spaces;
  std::vector<WorkloadTable> tables;  // of --device table:FILE
  std::optional<Error> unopened;      // a kind of board that this machine is not
};

// A name that is no kind of board is one whose modes references list.
Result<Modes> find_modes(const Options& options) {
  Modes modes;
  modes.device = options.device;
  if (!parse_board(options.device)) return modes;
  auto opened = open_board(options.device);
  if (!opened) {
    // A name without a colon may be that of a board which references or the store know.
    if (options.device.find(':') != std::string::npos) return opened.error();
    modes.unopened = opened.error();
    return modes;
  }
  const auto board = *std::move(opened);
  modes.device = board->info().device.name;
  if (!board->live()) {
    modes.tables = board->table()->workloads;
    for (const WorkloadTable& workload : modes.tables) modes.spaces.push_back(workload.space);
    return modes;
  }
  FLYBALL_ASSIGN(const auto knobs, board->knobs());
  modes.spaces.push_back(Space::grid(knobs->axes()));
  return modes;
}

Result<std::optional<Phase>> wanted_phase(const Options& options) {
  if (options.phase.empty()) return std::optional<Phase>();
  FLYBALL_ASSIGN(const Phase phase, parse_phase(options.phase));
  return std::optional<Phase>(phase);
}

// Times of other data, libraries or kernels do not belong together: of what was measured here, only
// what was under the conditions of the latest. Imported tables were put together by the user.
Result<std::vector<StoredMeasurement>> like_the_latest(Store& store, MeasurementFilter filter) {
  FLYBALL_ASSIGN(const auto all, store.conditions(filter));
  const auto is_table = [](const SameConditions& same) {
    return same.conditions && same.conditions->empty();
  };
  const auto is_disturbed = [](const SameConditions& same) {
    return same.conditions && same.conditions->contains(disturbed_condition);
  };
  const auto latest = std::find_if_not(all.rbegin(), all.rend(), [&](const SameConditions& same) {
    return is_table(same) || is_disturbed(same);
  });
  std::vector<StoredMeasurement> taken;
  size_t left_out = 0;
  for (const SameConditions& same : all) {
    if (!is_table(same) && (latest == all.rend() || &same != &*latest)) {
      left_out += same.measurements;
      continue;
    }
    filter.fingerprint = same.fingerprint;
    filter.conditions = same.conditions;
    FLYBALL_ASSIGN(const auto some, store.measurements(filter));
    taken.insert(taken.end(), some.begin(), some.end());
  }
  if (left_out > 0)
    fmt::print(
        stderr,
        "note: {} measurements that were disturbed, or under other conditions than the latest, are "
        "left out\n",
        left_out);
  return taken;
}

// What the store holds of this workload on this board, as one table.
Result<WorkloadTable> from_store(const Options& options, const Modes& modes,
                                 std::vector<int64_t>& runs) {
  FLYBALL_ASSIGN(Store store, open_stored(options.store));
  MeasurementFilter filter;
  filter.device = modes.device;
  filter.workload = options.workload;
  FLYBALL_ASSIGN(filter.phase, wanted_phase(options));
  FLYBALL_ASSIGN(const auto stored, like_the_latest(store, filter));
  FLYBALL_ASSIGN(runs, store.makers(stored));
  std::vector<WorkloadTable> tables = tables_of(stored);
  if (tables.empty())
    return Error{
        Code::invalid_argument,
        fmt::format("the store holds no measurement of {} on {}", options.workload, modes.device),
        "give measurements with --from FILE, or profile some with `flyball tune`"};
  if (tables.size() > 1)
    return Error{Code::invalid_argument,
                 fmt::format("the store's measurements of {} on {} differ in phase, axes or power "
                             "total and cannot be taken together",
                             options.workload, modes.device),
                 "say --phase, or `flyball export` those you mean and give them with --from"};
  return measured_part(tables.front(), "the store", options.accepted);
}

// `runs`: of the store, that measured it; empty where files or a table did.
Result<WorkloadTable> read_measured(const Options& options, const Modes& modes,
                                    std::vector<int64_t>& runs) {
  FLYBALL_ASSIGN(const auto phase, wanted_phase(options));
  std::optional<WorkloadTable> measured;
  for (const std::string& path : options.from) {
    FLYBALL_ASSIGN(const WorkloadTable part,
                   read_workload(path, options.workload, options.phase, options.accepted));
    if (!measured) {
      measured = part;
      continue;
    }
    if (part.phase != measured->phase || part.device != measured->device ||
        part.power_total != measured->power_total)
      return Error{Code::invalid_argument,
                   fmt::format("{} holds {} and {}, which do not belong together", path,
                               part.title(), measured->title()),
                   "files given with --from must agree in device, phase and power total"};
    for (size_t i = 0; i < part.size(); ++i) {
      FLYBALL_ASSIGN(const auto row, measured->space.to_row(part.space.settings(i)));
      measured->add(row, part.minibatch_ms[i], part.power_w[i], part.known(i));
    }
  }
  if (measured) return *std::move(measured);
  if (!modes.tables.empty()) {
    const Table all{options.device, modes.tables};
    const auto found =
        options.workload.empty() ? all.only(phase) : all.find(options.workload, phase);
    if (!found)
      return Error{Code::invalid_argument, found.error().message,
                   found.error().hint + "; or give its measurements with --from FILE"};
    return measured_part(**found, options.device, options.accepted);
  }
  if (options.workload.empty())
    return Error{Code::invalid_argument, "there is no workload to predict",
                 "name one that the store has measurements of (`flyball runs list`), or give a "
                 "table with --from FILE"};
  return from_store(options, modes, runs);
}

struct Answer {
  CompletedTable all;
  std::vector<int64_t> runs;  ///< of the store, whose measurements they are
  std::vector<std::string> references;
  std::string predictor;
};

Result<Answer> predict(const Options& options) {
  FLYBALL_ASSIGN(Modes modes, find_modes(options));
  Answer answer;
  FLYBALL_ASSIGN(const WorkloadTable measured, read_measured(options, modes, answer.runs));
  FLYBALL_ASSIGN(const auto references, gather_references(options.references, measured.device,
                                                          !options.no_reference, options.accepted));
  if (modes.spaces.empty())
    for (const WorkloadTable& reference : references)
      if (reference.device == options.device) modes.spaces.push_back(reference.space);
  if (modes.spaces.empty() && modes.unopened) return *modes.unopened;
  if (modes.spaces.empty())
    return Error{Code::invalid_argument,
                 fmt::format("the modes of '{}' are not known", options.device),
                 "host is this machine; table:FILE lists modes; else a --reference (or `flyball "
                 "reference add`) of that device must list them"};
  FLYBALL_ASSIGN(const Space space, open_modes(measured, modes.spaces));
  FLYBALL_ASSIGN(answer.all,
                 complete(measured, space, references, options.predictor, {options.seed}));
  for (const WorkloadTable& reference : references) answer.references.push_back(reference.title());
  answer.predictor = options.predictor;
  return answer;
}

struct Summary {
  std::vector<double> time, time_width, power, power_width;
  size_t predicted = 0, extrapolated = 0;
};

Summary summarise(const CompletedTable& all) {
  Summary summary;
  for (size_t i = 0; i < all.table.size(); ++i) {
    if (all.table.provenance[i] != Provenance::predicted) continue;
    ++summary.predicted;
    summary.extrapolated += all.extrapolated[i];
    const double time = all.table.minibatch_ms[i], power = all.table.power_w[i];
    summary.time.push_back(time);
    summary.time_width.push_back(50 * (all.time_hi90[i] - all.time_lo90[i]) / time);
    if (std::isnan(power)) continue;
    summary.power.push_back(power);
    summary.power_width.push_back(50 * (all.power_hi90[i] - all.power_lo90[i]) / power);
  }
  return summary;
}

nlohmann::ordered_json range_json(const std::vector<double>& values,
                                  const std::vector<double>& widths) {
  if (values.empty()) return nullptr;
  return {{"min", quantile(values, 0)},
          {"median", median(values)},
          {"max", quantile(values, 1)},
          {"interval90_pct", median(widths)}};
}

void print_answer_json(const Options& options, const Answer& answer) {
  const Summary summary = summarise(answer.all);
  nlohmann::ordered_json document = {
      {"workload", answer.all.table.workload},
      {"phase", phase_name(answer.all.table.phase)},
      {"device", answer.all.table.device},
      {"predictor", answer.predictor},
      {"seed", options.seed},
      {"runs", answer.runs},
      {"references", answer.references},
      {"configurations", answer.all.table.size()},
      {"profiled", answer.all.profiled},
      {"predicted", summary.predicted},
      {"extrapolated", summary.extrapolated},
      {"minibatch_ms", range_json(summary.time, summary.time_width)},
      {"power_w", range_json(summary.power, summary.power_width)},
      {"out",
       options.out.empty() ? nlohmann::ordered_json(nullptr) : nlohmann::ordered_json(options.out)},
      {"notes", answer.all.notes}};
  print_json(document);
}

void print_text(const Options& options, const Answer& answer) {
  const CompletedTable& all = answer.all;
  const Summary summary = summarise(all);
  fmt::print("{}: {} configurations, {} profiled, {} predicted by {}", all.table.title(),
             all.table.size(), all.profiled, summary.predicted, answer.predictor);
  if (summary.extrapolated > 0)
    fmt::print(" ({} of them outside of the profiled ones)", summary.extrapolated);
  fmt::print("\n\n");
  TextTable table({"predicted", "least", "median", "most", "90 % interval"});
  const auto add = [&](const char* name, const auto& values, const auto& widths) {
    if (!values.empty())
      table.add({name, number(quantile(values, 0)), number(median(values)),
                 number(quantile(values, 1)), fmt::format("±{} %", number(median(widths)))});
  };
  add("minibatch ms", summary.time, summary.time_width);
  add("power W", summary.power, summary.power_width);
  if (!table.empty()) fmt::print("{}\n", table.str());
  if (!answer.runs.empty()) {
    std::vector<std::string> numbers;
    for (const int64_t run : answer.runs) numbers.push_back(std::to_string(run));
    fmt::print("measured by run{} {} of the store (`flyball runs show`)\n",
               numbers.size() == 1 ? "" : "s", join(numbers, ", "));
  }
  for (const std::string& reference : answer.references) fmt::print("reference: {}\n", reference);
  for (const std::string& note : all.notes) fmt::print("note: {}\n", note);
  if (!options.out.empty()) fmt::print("table: {}\n", options.out);
}

Status run(const Options& options) {
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
      "predict", "time and power of every mode of a board from a few profiled ones");
  auto options = std::make_shared<Options>();
  std::vector<std::string> names;
  for (const PredictorEntry& entry : predictors()) names.push_back(entry.name);
  command->add_option("workload", options->workload,
                      "as its measurements name it; may be left out where a table holds one only");
  command
      ->add_option("--device", options->device,
                   "host, table:FILE that lists the modes, or a board's name as references have it")
      ->required();
  command->add_option("--from", options->from,
                      "measurements of the workload; else those of the table or the store");
  command->add_option("--phase", options->phase, "train or infer");
  command->add_option("--reference", options->references, "table of earlier workloads");
  add_accept_option(*command, options->accepted);
  command->add_flag("--no-reference", options->no_reference,
                    "leave out the references kept for this board (`flyball reference list`)");
  command->add_option("--predictor", options->predictor, join(names, ", "))->capture_default_str();
  command->add_option("--seed", options->seed, "of everything random")->capture_default_str();
  command->add_option("--store", options->store, "where measurements are kept");
  command->add_option("--out", options->out, "write the table here (CSV)");
  add_json_flag(*command, options->json);
  command->footer(
      "Example:\n  flyball predict mobilenet_v3 --device table:modes.csv --from profiled.csv "
      "--reference earlier.csv --out table.csv");
  set_action(*command, context, [options] { return run(*options); });
}

}  // namespace flyball::cli
