#include "cli/measuring.h"

#include <fmt/format.h>

#include "base/os/interrupt.h"

namespace flyball::cli {

AddedOptions add_measuring_options(CLI::App& command, MeasuringOptions& options) {
  CLI::Option* wait = command.add_flag("--wait", options.wait,
                                       "wait while another flyball measures on this machine");
  CLI::Option* force =
      command
          .add_flag("--force", options.force,
                    "measure beside it all the same; what is measured so is marked as disturbed")
          ->excludes(wait);
  return {wait, force};
}

void add_measuring_options(CLI::App& command, MeasuringOptions& options, OptionScope& scope) {
  scope.exclude({Target::table, Target::twin}, add_measuring_options(command, options),
                {.remedy = "leave it out: nothing is measured on this machine",
                 .reason = "changes nothing where this machine is not measured"});
}

Result<std::shared_ptr<MeasuringSession>> begin_measuring(MeasuringOptions options) {
  catch_interrupts();
  options.cancelled = [] { return is_interrupted(&interrupt_flag()); };
  options.waiting = [](const std::string& holder) {
    fmt::print(stderr, "waiting for {}\n", holder);
  };
  return MeasuringSession::begin(options);
}

}  // namespace flyball::cli
