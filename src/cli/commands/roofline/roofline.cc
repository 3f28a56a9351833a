#include "cli/commands/roofline/roofline.h"
#include "cli/checks.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/common_options.h"
#include "cli/output.h"
#include "cli/report_file.h"
#include "cli/stored.h"
#include "cli/tables.h"
#include "report/grid.h"
#include "report/page.h"
#include "roofs/roofline_answer.h"
#include "space/board_fingerprint.h"
#include "space/named_source.h"

namespace flyball::cli {
namespace {

constexpr size_t layers_shown = 5;

struct RooflineArguments {
  std::vector<std::string> files;
  std::string phase, rules = "exact", device, root = "/", report;
  StoreArguments store;
  RooflineRequest request;
  Accepted accepted;
  bool json = false, device_typed = false;
};

std::string mode_words(const PowerMode& mode) {
  return mode.values.empty() ? "as it is" : describe(mode.values);
}

void print_cases(const RooflineAnswer& answer) {
  if (answer.cases.empty()) return;
  TextTable table({"workload", "batch", "highest mode J", "least J", "saved %", "robust %",
                   "time x", "mode of least energy", ""});
  for (const EnergyCase& one : answer.cases)
    table.add({fmt::format("{} {}", one.workload, phase_name(one.phase)),
               one.batch_size > 0 ? format_number(one.batch_size) : "-",
               number(one.highest.joules()), number(one.least.joules()), number(100 * one.saving()),
               number(100 * one.robust_saving()), number(one.slowdown()), describe(one.least.mode),
               one.doubt().empty() ? "" : "doubtful"});
  fmt::print(
      "\nenergy of a minibatch over the modes\n{}robust: without readings of power that their "
      "neighbours contradict\n",
      table.str());
}

void print_bound(const RooflineAnswer& answer) {
  if (answer.bound.empty()) return;
  TextTable table({"workload", "batch", "mode", "FLOP/B", "roof ms", "measured ms", "compute %",
                   "memory %", "launch %", "loader %"});
  for (const BoundWorkload& one : answer.bound)
    table.add({fmt::format("{} {}", one.workload, phase_name(one.phase)),
               format_number(one.batch_size), mode_words(one.mode), number(one.totals.intensity()),
               number(1e3 * one.roof_s), number(1e3 * one.measured_s),
               number(100 * one.share(Binding::compute)), number(100 * one.share(Binding::memory)),
               number(100 * one.share(Binding::launch)), number(100 * one.share(Binding::loader))});
  fmt::print(
      "\nwhat binds, as shares of the measured time (of the roof's where nothing was "
      "measured)\n{}",
      table.str());
  for (const BoundWorkload& one : answer.bound) {
    if (one.layers.size() < 2 || one.mode.values != answer.bound.front().mode.values) continue;
    fmt::print("\nlongest layers of {} {}, batch {}, {}\n", one.workload, phase_name(one.phase),
               format_number(one.batch_size), mode_words(one.mode));
    TextTable layers({"layer", "operator", "FLOP/B", "roof ms", "share %", "bound by"});
    for (size_t i = 0; i < std::min(layers_shown, one.layers.size()); ++i) {
      const BoundLayer& layer = one.layers[i];
      layers.add({layer.layer.name, layer.layer.op,
                  number(layer.layer.bytes > 0 ? layer.layer.flop / layer.layer.bytes : NAN),
                  number(1e3 * layer.time_s), number(100 * layer.time_s / one.roof_s),
                  binding_name(layer.binds)});
    }
    fmt::print("{}", layers.str());
  }
}

void print_roofs(const RooflineAnswer& answer) {
  const BoardRoofs& roofs = answer.roofs;
  const ModeRoofs* highest = roofs.highest();
  if (!highest) {
    fmt::print("{}: no mode has roofs of its own\n", roofs.device);
    return;
  }
  fmt::print("{}, {} roofs of {} mode{}; highest: {}\n", roofs.device, roofs.how_known(),
             roofs.modes.size(), roofs.modes.size() == 1 ? "" : "s", mode_words(highest->mode));
  const auto giga = [](double rate) { return rate > 0 ? number(rate * 1e-9) : std::string("-"); };
  const std::string launch = highest->launch_s > 0
                                 ? fmt::format(", {} {} ms",
                                               roofs.fitted() ? "the shortest minibatches take"
                                                              : "a parallel region takes",
                                               number(1e3 * highest->launch_s))
                                 : "";
  fmt::print("  {} GFLOP/s, {} GB/s, balance {} FLOP/B{}\n", giga(highest->flop_per_s),
             giga(highest->bytes_per_s), highest->balance() > 0 ? number(highest->balance()) : "-",
             launch);
  if (roofs.fitted())
    fmt::print("  fitted through {} readings, not above them: half of them lie within {} %\n",
               highest->samples, number(highest->error_pct));
  if (highest->energy)
    fmt::print("  {} pJ/FLOP, {} pJ/B, static {} W\n",
               number(1e12 * highest->energy->eps_flop.value),
               number(1e12 * highest->energy->eps_mem.value), number(highest->energy->pi0.value));
}

void print_answer(const RooflineAnswer& answer) {
  print_roofs(answer);
  print_cases(answer);
  print_bound(answer);
  if (!answer.verdicts.empty()) fmt::print("\n");
  for (const std::string& words : answer.verdicts) fmt::print("{}\n", words);
  for (const std::string& note : answer.notes) fmt::print("note: {}\n", note);
}

/// Leaves the tables of this phase. Error: there is none.
Status keep_phase(std::vector<WorkloadTable>& tables, Phase phase) {
  std::vector<std::string> titles;
  for (const WorkloadTable& table : tables) titles.push_back(table.title());
  std::erase_if(tables, [&](const WorkloadTable& table) { return table.phase != phase; });
  if (!tables.empty()) return {};
  return Error{Code::not_found, fmt::format("no table holds --phase {}", phase_name(phase)),
               "they hold: " + join(titles, ", ")};
}

Result<RooflineAnswer> of_tables(const RooflineArguments& options, const Table* of_device) {
  std::vector<WorkloadTable> tables;
  FLYBALL_ASSIGN(tables, read_references(options.files, options.accepted));
  for (const WorkloadTable& table :
       of_device ? of_device->workloads : std::vector<WorkloadTable>()) {
    FLYBALL_ASSIGN(WorkloadTable known, measured_part(table, options.device, options.accepted));
    tables.push_back(std::move(known));
  }
  if (!options.phase.empty()) FLYBALL_CHECK(keep_phase(tables, options.request.phase));
  FLYBALL_ASSIGN(RooflineAnswer answer, roofline_of_tables(options.request, tables));
  if (answer.roofs.modes.empty()) return answer;
  FLYBALL_ASSIGN(std::optional<Store> store, options.store.open());
  if (!store) return answer;
  FLYBALL_ASSIGN(answer.roofs_run, keep_roofs(*store, answer.roofs, options.request.command));
  return answer;
}

// Roofs are fitted through readings of unlike intensity: of three networks in batches of all sizes.
Error no_roofs_of_twin(const RooflineArguments& options, const Board& board) {
  std::vector<std::string> networks = options.request.workloads;
  for (const char* other : {"resnet18", "mobilenet_v3", "lstm"})
    if (networks.size() < 3 && std::ranges::count(networks, other) == 0)
      networks.emplace_back(other);
  return {Code::invalid_argument,
          board.info().device.title + ": no roofs are measured of a simulated board",
          fmt::format("draw tables of it and fit theirs: `flyball twin table {} --phase infer "
                      "--device {} --out twin.csv`, then `flyball roofline twin.csv --accept "
                      "simulated`",
                      join(networks, " "), board.info().name.text())};
}

Result<RooflineAnswer> of_board(const RooflineArguments& options, const Board& board) {
  if (board.twin()) return no_roofs_of_twin(options, board);
  FLYBALL_CHECK(check_roofs_of(board));
  FLYBALL_ASSIGN(Store store, open_stored(options.store.place));
  const DeviceInfo& device = board.info().device;
  FLYBALL_ASSIGN(const auto roofs,
                 stored_roofs(store, device.name, device.fingerprint, options.accepted));
  if (!roofs)
    return Error{Code::not_found, fmt::format("no roofs of {} are kept", device.name),
                 "`flyball roofline measure` measures them; `flyball roofline FILE.csv` takes "
                 "measured tables"};
  MeasurementFilter filter;
  filter.device = device.name;
  filter.own = true;
  FLYBALL_ASSIGN(StoredTrials measured, stored_trials(store, filter, options.accepted));
  std::erase_if(measured.trials, [&](const StoredMeasurement& m) {
    return !same_board(m.measurement.fingerprint, device.fingerprint);
  });
  return roofline_of_board(options.request, *roofs, measured.trials);
}

// "resnet50.csv" among the words is a table, "resnet50" a network.
void take_tables(RooflineArguments& options) {
  std::vector<std::string> networks;
  for (const std::string& word : options.request.workloads)
    (read_source(word).is_table() ? options.files : networks).push_back(word);
  options.request.workloads = std::move(networks);
}

Status run(RooflineArguments options) {
  take_tables(options);
  if (!options.phase.empty()) {
    FLYBALL_ASSIGN(options.request.phase, parse_phase(options.phase));
  }
  FLYBALL_ASSIGN(options.request.rules, parse_count_rules(options.rules));
  std::unique_ptr<Board> board;
  if (options.files.empty() || !options.device.empty()) {
    FLYBALL_ASSIGN(board, open_named_board(options.device, options.root));
  }
  if (!options.files.empty() && board && board->live() && options.device_typed)
    return Error{Code::invalid_argument,
                 fmt::format("--device {} says nothing of the table {}", options.device,
                             options.files.front()),
                 "leave it out: the table is of its own board"};
  const bool tables = !options.files.empty() || !board->live();
  auto answer =
      tables ? of_tables(options, board ? board->table() : nullptr) : of_board(options, *board);
  if (!answer) return answer.error();
  const auto document = roofline_json(*answer);
  if (options.json)
    print_json(document);
  else
    print_answer(*answer);
  auto page = page_document("roofline", options.request.command, document);
  page["tables"] = table_grids(answer->tables);
  return write_report(options.report, page, options.json);
}

}  // namespace

void add_roofline(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "roofline", "Tell how fast, and at what energy, a board can do what a network does");
  auto options = std::make_shared<RooflineArguments>();
  command->add_option("workload", options->request.workloads,
                      "Networks, or measured tables of one board (FILE.csv); tables without a "
                      "network mean all that they hold");
  command->add_option("--data", options->files, "Tables, as they were named before 0.1")->group("");
  add_device_option(*command, options->device, options->root, {.refused = {"cuda", "twin"}});
  note_given(command->get_option("--device"), options->device_typed);
  takes_one_of(command->add_option("--phase", options->phase,
                                   "Only this phase; default: infer, of tables both"),
               {"train", "infer"});
  command
      ->add_option("--batch-size", options->request.batches,
                   "Minibatch sizes; default: 1, of tables all")
      ->check(CLI::Range(1, 1 << 20));
  takes_one_of(command->add_option("--rules", options->rules, "How FLOP and bytes are counted"),
               {"exact", "pagoda"})
      ->capture_default_str();
  add_accept_option(*command, options->accepted);
  add_store_options(*command, options->store, "Keep no fitted roofs");
  add_report_option(*command, options->report);
  add_json_flag(*command, options->json);
  command->footer(
      "Example:\n  flyball roofline measure\n  flyball roofline resnet18 --batch-size 16 "
      "--report out.html\n"
      "  flyball roofline resnet50.csv mobilenet.csv --report out.html");
  add_roofline_measure(*command, context);
  set_action(*command, context, [options, command, &context] {
    if (command->got_subcommand("measure")) return Status();
    options->request.command = context.command;
    return run(*options);
  });
}

}  // namespace flyball::cli
