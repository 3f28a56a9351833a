#include <fmt/format.h>
#include <strings.h>

#include <algorithm>
#include <functional>

#include "base/os/interrupt.h"
#include "base/text.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/checks.h"
#include "cli/commands/experiment/experiment.h"
#include "cli/common_options.h"
#include "cli/dry_run.h"
#include "cli/measuring.h"
#include "cli/output.h"
#include "cli/report_file.h"
#include "cli/stored.h"
#include "cli/text/findings_text.h"
#include "findings/judged_findings.h"
#include "findings/logged_runs.h"
#include "findings/measured_runs.h"
#include "report/page.h"

namespace flyball::cli {
namespace {

struct FindingsArguments {
  std::vector<std::string> devices, only, logs;
  std::string board;  ///< of the logs
  std::string report;
  std::string root = "/", out = "out/experiments";
  MeasuringOptions measuring;
  StoreArguments store;
  OptionScope scope;
  double scale = 1;
  bool all = false, fresh = false, dry_run = false, json = false, quiet = false;
};

// Large and small letters are the same.
bool is_meant(const std::vector<std::string>& asked, const PublishedFinding& finding) {
  return std::ranges::any_of(asked, [&](const std::string& one) {
    return strcasecmp(one.c_str(), finding.id.c_str()) == 0 ||
           strcasecmp(one.c_str(), finding.name.c_str()) == 0;
  });
}

/// The studies with the findings that are asked for. Error: nothing is called so.
Result<std::vector<PublishedStudy>> studies_of(const std::vector<std::string>& only) {
  std::vector<PublishedStudy> studies;
  std::vector<std::string> ids, unknown = only;
  for (const auto& [file, text] : published_studies()) {
    FLYBALL_ASSIGN(PublishedStudy study, parse_study(text, file));
    for (const PublishedFinding& finding : study.findings) {
      ids.push_back(finding.id);
      std::erase_if(unknown, [&](const std::string& one) { return is_meant({one}, finding); });
    }
    if (!only.empty())
      std::erase_if(study.findings,
                    [&](const PublishedFinding& finding) { return !is_meant(only, finding); });
    if (!study.findings.empty()) studies.push_back(std::move(study));
  }
  // The largest one first.
  std::ranges::stable_sort(studies, std::greater<>(),
                           [](const PublishedStudy& study) { return study.findings.size(); });
  if (unknown.empty()) return studies;
  return Error{Code::invalid_argument, fmt::format("no finding is called '{}'", unknown.front()),
               name_hint(unknown.front(), ids)};
}

/// What live boards are asked with: their runs are experiments of this machine.
Result<MeasuredRunsOptions> measured_options(const FindingsArguments& options, const Board& board,
                                             const Context& context) {
  MeasuredRunsOptions measured;
  measured.scale = options.scale;
  FLYBALL_ASSIGN(measured.experiment, experiment_options(options.root, options.out, context));
  measured.experiment.fresh = options.fresh;
  measured.experiment.interrupted = &interrupt_flag();
  FLYBALL_ASSIGN(measured.experiment.board,
                 experiment_place(board, board.info().name.text(), true));
  return measured;
}

using OwnedBoards = std::vector<std::unique_ptr<Board>>;

/// Simulated boards, and this machine.
Result<OwnedBoards> open_boards(const FindingsArguments& options) {
  OwnedBoards boards;
  std::vector<std::string> devices = options.devices;
  if (devices.empty() && options.logs.empty()) devices.emplace_back();
  size_t live = 0;
  for (const std::string& device : devices) {
    FLYBALL_ASSIGN(auto board, open_named_board(device, options.root));
    if (!board->live())
      return Error{Code::invalid_argument,
                   fmt::format("{} cannot be asked: it has no runs", device),
                   "name a simulated board, twin:BOARD, or leave --device out to ask this machine"};
    if (!board->twin() && ++live > 1)
      return Error{Code::invalid_argument, "one board that is measured at a time", ""};
    boards.push_back(std::move(board));
  }
  return boards;
}

bool is_measured(const std::unique_ptr<Board>& board) {
  return !board->twin();
}

/// Each board once: its runs would hide those of another of its name.
Status check_names(const std::vector<RunSource*>& sources) {
  std::vector<std::string> names;
  for (const RunSource* source : sources) {
    if (std::ranges::find(names, source->board()) != names.end())
      return Error{Code::invalid_argument, fmt::format("{} is named twice", source->board()),
                   source->provenance() == Provenance::measured ? "ask its logs by themselves"
                                                                : "name it once"};
    names.push_back(source->board());
  }
  return {};
}

struct Sources {
  std::vector<std::unique_ptr<RunSource>> owned;
  std::vector<RunSource*> asked;
  MeasuredRuns* measured = nullptr;

  void add(std::unique_ptr<RunSource> source) {
    owned.push_back(std::move(source));
    asked.push_back(owned.back().get());
  }
};

/// The boards and the logs that one study is asked of.
Result<Sources> sources_of(const FindingsArguments& options, const PublishedStudy& study,
                           const OwnedBoards& boards, const MeasuredRunsOptions& measured) {
  Sources sources;
  for (const auto& board : boards) {
    if (!is_measured(board)) {
      sources.add(simulated_runs(study, *board));
      continue;
    }
    auto runs = measured_runs(study, measured);
    sources.measured = runs.get();
    sources.add(std::move(runs));
  }
  FLYBALL_ASSIGN(auto logged,
                 logged_runs(study, {options.logs.begin(), options.logs.end()}, options.board));
  for (auto& source : logged) sources.add(std::move(source));
  FLYBALL_CHECK(check_names(sources.asked));
  return sources;
}

/// What there is to run on the board that is measured.
Status show_plan(const FindingsArguments& options, const std::vector<PublishedStudy>& studies,
                 const OwnedBoards& boards, const MeasuredRunsOptions& measured, DryRun dry) {
  const DeviceInfo& device = (*std::ranges::find_if(boards, is_measured))->info().device;
  dry.device = device.name;
  dry.title = device.title;
  for (const PublishedStudy& study : studies) {
    FLYBALL_ASSIGN(const Sources sources, sources_of(options, study, boards, measured));
    FLYBALL_ASSIGN(const auto ahead, sources.measured->ahead(
                                         settings_asked(study, sources.asked, *sources.measured)));
    for (const RunsAhead& one : ahead) {
      dry.roles.push_back({one.workload, Phase::train, one.runs, one.held});
      dry.trials += one.runs - one.held;
      dry.profiles += one.runs - one.held;
    }
  }
  dry.seconds = dry.joules =
      dry.roles.empty() ? CostAhead{0, "nothing is run"}
                        : CostAhead{{}, "before its first run the command says how long they take"};
  return print_dry_run(dry, options.json);
}

Result<FindingsAnswer> ask(const FindingsArguments& options,
                           const std::vector<PublishedStudy>& studies, const OwnedBoards& boards,
                           const MeasuredRunsOptions& measured) {
  FindingsAnswer answer;
  for (const PublishedStudy& study : studies) {
    FLYBALL_ASSIGN(const Sources sources, sources_of(options, study, boards, measured));
    FLYBALL_ASSIGN(FindingsAnswer one, judge_findings(study, sources.asked));
    answer.add(std::move(one));
  }
  return answer;
}

Result<FindingsAnswer> measure(const FindingsArguments& options,
                               const std::vector<PublishedStudy>& studies,
                               const OwnedBoards& boards, MeasuredRunsOptions measured) {
  FLYBALL_ASSIGN(auto store, options.store.open());
  measured.experiment.store = store ? &*store : nullptr;
  FLYBALL_ASSIGN(const auto measuring, begin_measuring(options.measuring));
  Progress progress(options.quiet);
  measured.experiment.progress = [&](size_t done, size_t total, const std::string& what) {
    progress.show_share(done, total, what);
  };
  auto answer = ask(options, studies, boards, measured);
  progress.finish();
  return answer;
}

Status run(const FindingsArguments& options, const Context& context) {
  FLYBALL_ASSIGN(const auto studies, studies_of(options.only));
  FLYBALL_ASSIGN(const OwnedBoards boards, open_boards(options));
  const auto live = std::ranges::find_if(boards, is_measured);
  MeasuredRunsOptions measured;
  if (live == boards.end()) {
    FLYBALL_CHECK(options.scope.check(Target::twin));
  } else {
    FLYBALL_ASSIGN(measured, measured_options(options, **live, context));
  }
  if (options.dry_run) {
    if (live == boards.end())
      return Error{Code::invalid_argument,
                   "nothing is measured: boards are simulated, logs are read",
                   "leave --dry-run out"};
    SeenStore seen = look_at_store(options.store);
    measured.experiment.store = seen.store ? &*seen.store : nullptr;
    DryRun dry;
    if (!seen.unread.empty()) dry.notes.push_back(seen.unread);
    return show_plan(options, studies, boards, measured, dry);
  }
  FLYBALL_ASSIGN(const FindingsAnswer answer, live == boards.end()
                                                  ? ask(options, studies, boards, measured)
                                                  : measure(options, studies, boards, measured));
  const Json document = findings_json(answer);
  if (options.json)
    print_json(document);
  else
    fmt::print("{}", findings_text(answer, options.all || !options.only.empty()));
  return write_report(options.report, page_document("findings", context.command, document),
                      options.json);
}

}  // namespace

void add_experiment_findings(CLI::App& group, Context& context) {
  CLI::App* command = group.add_subcommand(
      "findings", "Ask again what studies found: published figures beside a board's own");
  auto options = std::make_shared<FindingsArguments>();
  command
      ->add_option("--device", options->devices,
                   "Boards that are asked: twin:BOARD, several with commas between; default: this "
                   "machine is measured")
      ->delimiter(',');
  add_root_option(*command, options->root);
  command
      ->add_option("--data", options->logs,
                   "Folders with logs of the public experiments (docs/study.md), several with "
                   "commas between")
      ->type_name("FOLDER")
      ->allow_extra_args(false)
      ->delimiter(',');
  command
      ->add_option("--board", options->board,
                   "Board that the logs are of, where their folders do not say")
      ->needs(command->get_option("--data"));
  command->add_option("--only", options->only, "Only these findings, by their ids")->delimiter(',');
  command->add_flag("--all", options->all, "Show figures that hold as well");
  CLI::Option* scale =
      command
          ->add_option("--scale", options->scale,
                       "Scale of the published sets, as they are drawn for this machine")
          ->check(CLI::Range(0.001, 1.0));
  CLI::Option* out =
      writes(command->add_option("--out", options->out, "Folder of drawn sets"), "FOLDER")
          ->capture_default_str();
  options->scope.exclude({Target::twin}, {scale, out, add_fresh(*command, options->fresh)});
  writes(command->add_option("--report", options->report, "Write an HTML report here"));
  add_dry_run(*command, options->dry_run);
  add_measuring_options(*command, options->measuring);
  add_store_options(*command, options->store);
  options->scope.exclude({Target::twin},
                         {command->get_option("--store"), command->get_option("--no-store")});
  add_quiet(*command, options->quiet);
  add_json_flag(*command, options->json);
  command->footer(
      "Example:\n  flyball experiment findings --device twin:xavier_agx,twin:xavier_nx --all");
  set_action(*command, context, [options, &context] { return run(*options, context); });
}

}  // namespace flyball::cli
