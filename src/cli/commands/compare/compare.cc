#include "cli/commands/compare/compare.h"

namespace flyball::cli {

void add_compare(CLI::App& app, Context& context) {
  CLI::App* group = app.add_subcommand("compare", "Compare boards: which one to take");
  group->require_subcommand(1);
  group->footer(
      "Example:\n  flyball compare boards resnet18 lstm --device twin:orin_agx,twin:rtx3090");
  add_compare_boards(*group, context);
}

}  // namespace flyball::cli
