// Networks as services and as trainings (workload/, data/), on this machine.
#pragma once

#include <filesystem>

#include "profile/trials/run_data.h"
#include "schedule/live/live_serving.h"

namespace flyball {

struct NetworkService {
  std::string workload;
  RunData data;  ///< whose samples warm it up, and stand in for requests
  std::string device = "cpu";
  int threads = 0;
  int64_t largest_batch = 64;
  uint64_t seed = 1;
  std::filesystem::path weights{};  ///< a checkpoint of the same workload; empty: fresh ones
};
/// Errors: those of make_stepper(); weights that are of another network.
Result<std::unique_ptr<InferenceRunner>> make_network_service(const NetworkService& asked);

struct NetworkTraining {
  std::string workload;
  RunData data;
  std::string device = "cpu";
  int threads = 0;
  int64_t batch_size = usual_batch_size;
  int workers = 1;  ///< of the loader, which fills while requests are served
  uint64_t seed = 1;
  std::filesystem::path checkpoint{};  ///< where it is kept; goes on from there where there is one
};
struct StartedTraining {
  std::unique_ptr<TrainingRunner> runner;
  std::filesystem::path checkpoint{};  ///< where it is kept; empty: nowhere
  int64_t resumed_minibatches = 0;     ///< of its epoch; what an earlier run had done
  int64_t resumed_epoch = 0;
  bool resumed = false;
};
/// Errors: those of start_run(); a checkpoint of another training.
Result<StartedTraining> make_network_training(const NetworkTraining& asked);

}  // namespace flyball
