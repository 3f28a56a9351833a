#include "cli/commands/twin/twin_commands.h"

namespace flyball::cli {

void add_twin(CLI::App& app, Context& context) {
  CLI::App* group = app.add_subcommand("twin", "Fit simulated boards, and draw tables from them");
  group->require_subcommand(1);
  group->footer("Example:\n  flyball twin table resnet18 --device twin:orin_agx --modes paper");
  for (const auto add : {add_twin_table, add_twin_calibrate, add_twin_population})
    add(*group, context);
}

}  // namespace flyball::cli
