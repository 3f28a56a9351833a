// The parts of `flyball evaluate`.
#pragma once

#include <CLI/CLI.hpp>

#include "cli/commands.h"

namespace flyball::cli {

void add_evaluate_predict(CLI::App& group, Context& context);
void add_evaluate_optimise(CLI::App& group, Context& context);
void add_evaluate_search(CLI::App& group, Context& context);
void add_evaluate_live(CLI::App& group, Context& context);
void add_evaluate_twin(CLI::App& group, Context& context);
void add_evaluate_linear(CLI::App& group, Context& context);
void add_evaluate_all(CLI::App& group, Context& context);

}  // namespace flyball::cli
