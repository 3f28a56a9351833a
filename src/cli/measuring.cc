#include "cli/measuring.h"

#include <fmt/format.h>

#include "base/os/interrupt.h"

namespace flyball::cli {

void add_measuring_options(CLI::App& command, MeasuringOptions& options) {
  CLI::Option* wait = command.add_flag("--wait", options.wait,
                                       "Wait while another flyball measures on this machine");
  command
      .add_flag("--force", options.force,
                "Measure beside another flyball; what is measured so is marked as disturbed")
      ->excludes(wait);
}

Result<std::shared_ptr<MeasuringSession>> begin_measuring(MeasuringOptions options, Unseen unseen) {
  catch_interrupts();
  if (unseen == Unseen::told_at_once)
    if (const std::string what = unseen_sessions(); !what.empty())
      fmt::print(stderr, "flyball: note: {}\n", what);
  options.cancelled = [] { return is_interrupted(&interrupt_flag()); };
  options.waiting = [](const std::string& holder) {
    fmt::print(stderr, "waiting for {}\n", holder);
  };
  return MeasuringSession::begin(options);
}

}  // namespace flyball::cli
