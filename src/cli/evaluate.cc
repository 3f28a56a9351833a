#include "cli/commands.h"

namespace flyball::cli {

void add_evaluate(CLI::App& app, Context& context) {
  CLI::App* group = app.add_subcommand("evaluate", "judge predictors and strategies on tables");
  group->require_subcommand(1);
  group->footer("Example:\n  flyball evaluate search --problem training --train resnet18.csv");
  add_evaluate_search(*group, context);
}

}  // namespace flyball::cli
