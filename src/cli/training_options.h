// How a network is trained, as options of the commands that train one.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>

#include "base/status.h"
#include "cli/option_scope.h"
#include "profile/trials/run_data.h"
#include "workload/stepper.h"

namespace flyball::cli {

struct TrainingOptions {
  std::string optimizer = "sgd", precision = "fp32";
  std::optional<double> learning_rate, weight_decay;
  int64_t accumulate = 1;
  bool channels_last = false;
  int image_size = 0;  ///< as SampleSize has it
};

AddedOptions add_training_options(CLI::App& command, TrainingOptions& options);

/// Reads them into a step; what says nothing to the workload is noted on stderr and left out.
/// Errors name the option and what it takes.
Status read_training_options(const TrainingOptions& options, const std::string& workload,
                             StepOptions& step);

/// `--batch-size`.
CLI::Option* add_batch_size(CLI::App& command, int64_t& batch_size);
/// `--workers` and `--prefetch`.
AddedOptions add_loader_options(CLI::App& command, int& workers, int& prefetch);

/// How the networks are trained by which boards are compared.
struct ComparedTraining {
  int64_t batch_size = usual_batch_size;
  int workers = usual_loader_workers, prefetch = usual_prefetch;
};
/// `--batch-size`, `--workers` and `--prefetch`.
void add_compared_training(CLI::App& command, ComparedTraining& training);

}  // namespace flyball::cli
