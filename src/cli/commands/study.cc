// `flyball study`: ask and tell for programs that own their loop.
#include "tune/study.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <iostream>
#include <memory>
#include <optional>

#include "base/json_line.h"
#include "cli/action.h"
#include "cli/board.h"
#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/measuring.h"
#include "device/registry/board.h"

namespace flyball::cli {
namespace {

struct StudyOptions {
  StoreArguments store;
  MeasuringOptions measuring;
};

Conditions settings_now() {
  const auto board = open_board("host");
  return board ? (*board)->info().device.settings : Conditions();
}

Result<StudyBoard> this_machine() {
  FLYBALL_ASSIGN(const auto board, open_board("host"));
  const auto power = board->power();
  ProfilerInfo info;
  info.device = board->info().device.name;
  info.device_title = board->info().device.title;
  info.fingerprint = board->info().device.fingerprint;
  info.conditions = board->info().device.settings;
  info.power_total = power->total();
  info.power_gap = power->gap();
  return StudyBoard{info, settings_now};
}

// Looked at while it waits: who has left cannot be told any more.
bool output_is_closed() {
  pollfd out{STDOUT_FILENO, 0, 0};
  return ::poll(&out, 1, 0) > 0 && (out.revents & (POLLERR | POLLHUP)) != 0;
}

Status run_study(const StudyOptions& options, const Context& context) {
  FLYBALL_ASSIGN(const StudyBoard board, this_machine());
  FLYBALL_ASSIGN(std::optional<Store> store, options.store.open());
  if (::isatty(STDIN_FILENO) == 1)
    fmt::print(stderr, "flyball: waiting for messages, one JSON object a line (docs/json.md)\n");
  const StudyLine line{[]() -> std::optional<std::string> {
                         std::string text;
                         if (!std::getline(std::cin, text)) return {};
                         return text;
                       },
                       [](const Json& document) {
                         fmt::print("{}\n", json_line(document));
                         std::fflush(stdout);
                       },
                       output_is_closed};
  return serve_study(line, board, store ? &*store : nullptr, context.command, options.measuring);
}

}  // namespace

void add_study(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand(
      "study", "Ask and tell for a program that owns its loop: JSON lines on stdin and stdout");
  auto options = std::make_shared<StudyOptions>();
  add_store_options(*command, options->store);
  add_measuring_options(*command, options->measuring);
  command->footer(
      "The Python package speaks it: flyball.create_study() (docs/python.md).\n"
      "Example:\n  echo '{\"do\": \"create\", \"axes\": {\"batch_size\": [8, 16, 32]}}' | flyball "
      "study");
  set_action(*command, context, [options, &context] { return run_study(*options, context); });
}

}  // namespace flyball::cli
