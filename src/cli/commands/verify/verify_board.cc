#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <memory>

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/commands/verify/verify_bundle.h"
#include "cli/commands/verify/verify_tune.h"
#include "cli/common_options.h"
#include "cli/dry_run.h"
#include "cli/measuring.h"
#include "cli/output.h"
#include "cli/report_left.h"
#include "cli/standard_output.h"
#include "device/verify/verify_steps.h"

namespace flyball::cli {
namespace {

struct VerifyOptions {
  std::string root = "/", out;
  bool quick = false, dry_run = false, json = false, quiet = false;
  MeasuringOptions measuring;
};

// To be shown as it comes: a person waits for minutes.
void tell(const std::string& text, bool json) {
  if (json) {
    fmt::print(stderr, "{}", text);
  } else {
    fmt::print("{}", text);
    std::fflush(stdout);
  }
}

std::string bundle_name(const VerifyOptions& options, const BoardIdentity& board) {
  return options.out.empty() ? fmt::format("flyball-board-{}.tar.gz", board.id) : options.out;
}

// A name that everybody can foresee may be a link of somebody else.
Status check_no_link(const std::string& file, const VerifyOptions& options) {
  std::error_code unknown;
  if (!options.out.empty() || !std::filesystem::is_symlink(file, unknown)) return {};
  return Error{Code::conflict, file + " is a link, and what it leads to stays as it is",
               "remove it, or name another file: --out"};
}

std::string about(double seconds) {
  return seconds < 90 ? fmt::format("{:.0f} s", seconds)
                      : fmt::format("{:.0f} min", std::ceil(seconds / 60));
}

// What is about to happen, and for how long.
Result<std::string> plan_text(const VerifyOptions& options, const std::filesystem::path& root) {
  FLYBALL_ASSIGN(const auto board, open_board("", root));
  FLYBALL_ASSIGN(const auto device, board->knobs());
  const VerifyDurations durations = VerifyDurations::of(options.quick);
  const Presets presets = board->presets();
  const Preset* preset = noted_preset(presets);
  std::vector<std::string> knobs;
  for (const AxisState& axis : device->states())
    if (axis.settable && !axis.asked) knobs.push_back(axis.axis.name);
  std::string text = fmt::format("{}\n", board->info().device.title);
  text += fmt::format(
      "1  reads what the board shows\n"
      "2  sets {}, at most {} values each{}, reads each back, and puts each back\n"
      "3  watches the power rails, beside tegrastats where it is there\n"
      "4  runs one short tune, {} trials of a tiny network\n"
      "5  writes {}: the board's files and what was found, without secrets\n",
      knobs.empty() ? "nothing (no knob may be set here)" : join(knobs, ", "), durations.values,
      preset ? fmt::format(", none above preset {}", preset->name)
             : ", none above what is in force",
      durations.trials, bundle_name(options, identify_board(root)));
  return text +
         fmt::format("takes about {}; Ctrl-C ends it, and whatever ends it the board is put back\n",
                     about(durations.seconds(knobs.size())));
}

Status verify(const VerifyOptions& options, Context& context) {
  FLYBALL_ASSIGN(const std::filesystem::path root, root_folder(options.root));
  FLYBALL_ASSIGN(const std::string plan, plan_text(options, root));
  if (options.dry_run) {
    fmt::print("{}", plan);
    return {};
  }
  if (!options.quiet) tell(plan + "\n", options.json);
  const std::string file = bundle_name(options, identify_board(root));
  FLYBALL_CHECK(check_writable(file));
  // Before the board is opened: what it finds then is what it is put back to.
  FLYBALL_ASSIGN(const auto measuring, begin_measuring(options.measuring));
  const Disturbance disturbance;
  VerifySteps steps(
      root, options.quick,
      [&](const CheckedStep& step) {
        if (!options.json || !options.quiet) tell(step_text(step), options.json);
      },
      report_left);
  FLYBALL_CHECK(steps.check_board());
  FLYBALL_ASSIGN(CheckedStep tuned, short_tune(steps.tune()));
  steps.add(std::move(tuned));
  steps.check_alone(disturbance.by());
  steps.check_put_back();
  const Verification& done = steps.finish();
  FLYBALL_ASSIGN(const Bundle bundle, make_bundle(root, done));
  FLYBALL_CHECK(check_no_link(file, options));
  FLYBALL_CHECK(write_file(file, bundle.bytes));
  if (options.json) {
    Json document = verification_json(done);
    document["bundle"] = bundle_json(bundle, file);
    print_json(document);
  } else {
    fmt::print(
        "\n{} passed, {} failed, {} left out\n{}: {} files and {} links of the board, and "
        "what was found\n",
        done.count(Verdict::passed), done.count(Verdict::failed), done.count(Verdict::left_out),
        file, bundle.files, bundle.links);
    for (const std::string& unread : bundle.unread) fmt::print("not in it: {}\n", unread);
    std::vector<std::string> kinds;
    for (const auto& [kind, count] : bundle.left_out) kinds.push_back(kind);
    fmt::print("taken out of it: {}\n", kinds.empty() ? "no secret was found" : join(kinds, ", "));
  }
  if (done.count(Verdict::failed) > 0) context.exit_code = 1;
  return {};
}

}  // namespace

void add_verify_board(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "verify-board", "Check on this board what is known of its kind, and bundle it for others");
  auto options = std::make_shared<VerifyOptions>();
  add_root_option(*command, options->root);
  writes(command->add_option(
      "--out", options->out,
      "Where the bundle is written; default: flyball-board-NAME.tar.gz in this folder"));
  command->add_flag("--quick", options->quick,
                    "Take fewer values and shorter looks: half a minute");
  CLI::Option* const dry =
      command->add_flag("--dry-run", options->dry_run, "Say what would be done, and for how long");
  add_measuring_options(*command, options->measuring);
  add_quiet(*command, options->quiet);
  add_json_flag(*command, options->json);
  dry->excludes(command->get_option("--json"));  // what is to come is said in words
  command->footer(
      "Exit codes: 0 nothing failed, 1 something did.\n"
      "Example:\n  flyball verify-board --dry-run\n  sudo \"$(command -v flyball)\" verify-board");
  set_action(*command, context, [options, &context] { return verify(*options, context); });
}

}  // namespace flyball::cli
