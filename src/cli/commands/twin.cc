#include "cli/commands/twin.h"

namespace flyball::cli {

void add_twin(CLI::App& app, Context& context) {
  CLI::App* group = app.add_subcommand("twin", "simulated boards: their constants");
  group->require_subcommand(1);
  group->footer("Example:\n  flyball twin calibrate --target measured.csv");
  for (const auto add : {add_twin_calibrate}) add(*group, context);
}

}  // namespace flyball::cli
