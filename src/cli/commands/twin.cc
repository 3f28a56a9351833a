#include "cli/commands/twin.h"

namespace flyball::cli {

void add_twin(CLI::App& app, Context& context) {
  CLI::App* group = app.add_subcommand("twin", "simulated boards: tables drawn from them");
  group->require_subcommand(1);
  group->footer("Example:\n  flyball twin population --n 200 --seed 1 --out population");
  for (const auto add : {add_twin_population}) add(*group, context);
}

}  // namespace flyball::cli
