#include <fmt/format.h>

#include "base/files.h"
#include "base/interrupt.h"
#include "base/places.h"
#include "base/random.h"
#include "cli/board.h"
#include "cli/checks.h"
#include "cli/serving.h"
#include "cli/serving_endpoint.h"
#include "schedule/arrival_thread.h"
#include "schedule/network_jobs.h"
#include "server/identity.h"

namespace flyball::cli {
namespace {

Result<RunData> data_of(const std::string& workload, const ServeOptions& options, bool training) {
  FLYBALL_ASSIGN(const auto folder,
                 dataset_folder(workload, options.plan.data, options.plan.quiet));
  return open_run_data(workload, folder, {}, {}, training);
}

std::filesystem::path checkpoint_of(const std::string& workload, const ServeOptions& options) {
  if (options.no_checkpoint) return {};
  const std::filesystem::path folder = options.checkpoint.empty()
                                           ? data_folder() / "serve"
                                           : std::filesystem::path(options.checkpoint);
  return folder / (workload + ".ckpt");
}

Result<std::unique_ptr<InferenceRunner>> runner_of(const std::string& workload,
                                                   const ServeOptions& options,
                                                   const std::string& compute) {
  if (workload == identity_name) return make_identity_runner();
  NetworkService asked;
  asked.workload = workload;
  FLYBALL_ASSIGN(asked.data, data_of(asked.workload, options, false));
  asked.device = compute;
  if (options.batch > 0) asked.largest_batch = options.batch;
  asked.seed = options.plan.request.seed;
  asked.weights = options.weights;
  return make_network_service(asked);
}

Status add_services(const ServeOptions& options, const std::string& compute, LiveServing& serving,
                    std::vector<const InferenceRunner*>& runners) {
  const auto& latencies = options.plan.request.latencies_ms;
  FLYBALL_ASSIGN(const Overload overload, options.overload_policy());
  for (size_t s = 0; s < options.plan.infer.size(); ++s) {
    const std::string& workload = options.plan.infer[s];
    FLYBALL_ASSIGN(auto runner, runner_of(workload, options, compute));
    const double latency_ms = latencies.size() > 1 ? latencies[s] : latencies.front();
    runners.push_back(runner.get());
    serving.add(ServiceRules{.name = workload,
                             .latency_ns = static_cast<int64_t>(latency_ms * 1e6),
                             .largest_batch = options.batch,
                             .queue_bound = options.queue_bound,
                             .overload = overload,
                             .rate_hz = options.arrivals.empty() ? 0 : options.arrivals[s].rate_hz},
                std::move(runner));
  }
  return {};
}

Status add_trainings(const ServeOptions& options, const std::string& compute, LiveServing& serving,
                     std::vector<std::string>& notes) {
  for (size_t t = 0; t < options.plan.train.size(); ++t) {
    NetworkTraining asked;
    asked.workload = options.plan.train[t];
    FLYBALL_ASSIGN(asked.data, data_of(asked.workload, options, true));
    asked.device = compute;
    asked.batch_size = options.train_batch;
    asked.workers = options.workers;
    asked.seed = options.plan.request.seed;
    asked.checkpoint = checkpoint_of(asked.workload, options);
    auto started = make_network_training(asked);
    if (!started.ok()) {
      Error error = started.error();
      if (error.hint.empty())
        error.hint = "--checkpoint names another folder, --no-checkpoint none";
      return error;
    }
    if (started->resumed)
      notes.push_back(fmt::format("{} goes on at epoch {}, minibatch {}", asked.workload,
                                  started->resumed_epoch, started->resumed_minibatches));
    const double share = t < options.shares.size() ? options.shares[t] : 1;
    serving.add(TrainingRules{.name = asked.workload, .share = share}, std::move(started->runner));
  }
  return {};
}

Status write_trace(const ServeOptions& options, const LiveServing& serving) {
  if (options.trace.empty()) return {};
  return write_file(options.trace, chrome_trace({}, serving.spans(), serving.began_ns()));
}

// What the board drew from the end of warm-up to the end of the run.
void read_power(PowerMeter& meter, Served& served) {
  const auto reading = meter.end();
  served.power_gap = meter.gap();
  if (reading.ok() && reading->window_s > 0)
    served.result.energy_j = reading->mean_w * served.result.seconds;
  else if (served.power_gap.empty() && !reading.ok())
    served.power_gap = reading.error().message;
}

}  // namespace

Result<Served> serve_live(const ServeOptions& options) {
  if (!options.trace.empty()) FLYBALL_CHECK(check_writable(options.trace));
  FLYBALL_ASSIGN(const auto board, open_named_board(options.plan.device, options.plan.root));
  FLYBALL_ASSIGN(const auto measuring, begin_measuring(options.plan.measuring_options));
  Served served;
  served.device = board->info().device.title;
  const std::string compute = compute_place(board->info());
  LiveServing serving({.checkpoint_s = options.checkpoint_s, .stop = &interrupt_flag()});
  std::vector<const InferenceRunner*> runners;
  FLYBALL_CHECK(add_trainings(options, compute, serving, served.notes));
  FLYBALL_CHECK(add_services(options, compute, serving, runners));
  std::unique_ptr<ServingEndpoint> endpoint;  // after what it serves: it ends first
  if (options.listens()) {
    FLYBALL_ASSIGN(endpoint, ServingEndpoint::open(serving, options, served.device));
  }
  FLYBALL_CHECK(serving.warm_up());
  const auto meter = board->power();
  const bool metered = meter->gap().empty() && meter->begin().ok();
  if (metered) meter->count();
  std::vector<std::unique_ptr<ArrivalThread>> threads;
  for (size_t s = 0; s < runners.size(); ++s)
    if (options.arrivals[s].kind != ArrivalKind::http)
      threads.push_back(std::make_unique<ArrivalThread>(
          serving, s, *runners[s],
          make_arrivals(options.arrivals[s], mix_seed(options.plan.request.seed, s))));
  const Status ran = serving.run(options.seconds);
  threads.clear();
  if (endpoint) endpoint->drain();
  served.result = serving.snapshot();
  served.timeline = serving.timeline();
  if (metered)
    read_power(*meter, served);
  else
    served.power_gap = meter->gap();
  served.deciding_s = serving.deciding_s();
  served.longest_decision_s = serving.longest_decision_s();
  FLYBALL_CHECK(ran);
  FLYBALL_CHECK(write_trace(options, serving));
  return served;
}

}  // namespace flyball::cli
