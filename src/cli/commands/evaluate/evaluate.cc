#include "cli/commands/evaluate/evaluate.h"

#include "cli/commands.h"

namespace flyball::cli {
namespace {

// The one list of what can be evaluated; each is a file of its own.
constexpr auto evaluations = {add_evaluate_predict, add_evaluate_optimise, add_evaluate_search,
                              add_evaluate_live,    add_evaluate_twin,     add_evaluate_linear,
                              add_evaluate_all};

}  // namespace

void add_evaluate(CLI::App& app, Context& context) {
  CLI::App* group =
      app.add_subcommand("evaluate", "Judge predictors and strategies on measured tables");
  group->require_subcommand(1);
  group->footer(
      "Example:\n  flyball evaluate predict --truth table.csv --predictor linear,analytical");
  for (const auto add : evaluations) add(*group, context);
}

}  // namespace flyball::cli
