#include "cli/training_options.h"
#include "cli/checks.h"

#include <fmt/format.h>

#include "workload/workload.h"

namespace flyball::cli {
namespace {

// A module of the user's takes what its dataset holds.
bool takes_pictures(const std::string& workload) {
  const auto known = find_workload(workload);
  return !known.ok() || (*known)->shape.input.rank() == 3;
}

}  // namespace

AddedOptions add_training_options(CLI::App& command, TrainingOptions& options) {
  AddedOptions added;
  const auto add = [&](const char* name, auto& value, const char* help) {
    return added.emplace_back(command.add_option(name, value, help));
  };
  takes_one_of(
      add("--optimizer", options.optimizer, "Optimizer: sgd (momentum 0.9), adam or adamw"),
      {"sgd", "adam", "adamw"})
      ->capture_default_str();
  add("--learning-rate", options.learning_rate, "Learning rate of the optimizer; default: 0.01");
  add("--weight-decay", options.weight_decay,
      "Decay of weights towards zero; default: 0.01 for adamw, else 0");
  add("--accumulate", options.accumulate,
      "Parts that a minibatch is computed in, to need less memory")
      ->capture_default_str();
  takes_one_of(add("--precision", options.precision, "Precision: fp32, or bf16 (autocast)"),
               {"fp32", "bf16"})
      ->capture_default_str();
  added.push_back(
      command.add_flag("--channels-last", options.channels_last, "Keep images as NHWC in memory"));
  add("--image-size", options.image_size,
      "Side of the square that JPEG pictures are cut or fitted to; default: 224, of coco 640");
  return added;
}

Status read_training_options(const TrainingOptions& options, const std::string& workload,
                             StepOptions& step) {
  FLYBALL_ASSIGN(step.optimizer, parse_optimizer(options.optimizer));
  FLYBALL_ASSIGN(step.precision, parse_precision(options.precision));
  step.learning_rate = options.learning_rate;
  step.weight_decay = options.weight_decay;
  step.accumulate = options.accumulate;
  step.channels_last = options.channels_last;
  if (step.channels_last && !takes_pictures(workload)) {
    fmt::print(stderr, "flyball: note: {} takes no pictures, so --channels-last changes nothing\n",
               workload);
    step.channels_last = false;
  }
  return {};
}

CLI::Option* add_batch_size(CLI::App& command, int64_t& batch_size) {
  return command.add_option("--batch-size", batch_size, "Samples of a minibatch")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
}

AddedOptions add_loader_options(CLI::App& command, int& workers, int& prefetch) {
  return {command.add_option("--workers", workers, "Loader workers; 0: loaded inline")
              ->check(CLI::Range(0, 256))
              ->capture_default_str(),
          command.add_option("--prefetch", prefetch, "Minibatches each worker may be ahead")
              ->check(CLI::Range(0, 1024))
              ->capture_default_str()};
}

void add_compared_training(CLI::App& command, ComparedTraining& training) {
  add_batch_size(command, training.batch_size);
  add_loader_options(command, training.workers, training.prefetch);
}

}  // namespace flyball::cli
