#include "schedule/live/network_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <deque>
#include <numeric>

#include "profile/trials/minibatch_run.h"
#include "workload/checkpoint_names.h"

namespace flyball {
namespace {

constexpr int64_t pool_samples = 64;  // that stand in for requests

/// Rows `first` to `first + count` of a tensor that has one for each sample.
StoredTensor rows_of(const TensorView& view, int64_t first, int64_t count) {
  StoredTensor part{std::string(view.name), view.dtype, {count}, {}};
  size_t row_bytes = dtype_bytes(view.dtype);
  for (size_t d = 1; d < view.shape.rank(); ++d) {
    part.shape.append(view.shape[d]);
    row_bytes *= static_cast<size_t>(view.shape[d]);
  }
  part.bytes.assign(
      reinterpret_cast<const char*>(view.data) + static_cast<size_t>(first) * row_bytes,
      static_cast<size_t>(count) * row_bytes);
  return part;
}

Status check_network(const Checkpoint& own, const Checkpoint& trained) {
  FLYBALL_ASSIGN(const int64_t wanted, own.number("parameters"));
  FLYBALL_ASSIGN(const int64_t there, trained.number("parameters"));
  if (wanted == there) return {};
  return Error{Code::conflict,
               fmt::format("the checkpoint has {} parameters and the network that is served {}",
                           there, wanted),
               "serve the network that was trained, for data of as many classes"};
}

// Of a training its weights alone are served. What it trained with and where stays out: optimizer,
// random state, which a training beside it goes on with, and what is carried.
void replace_weights(Checkpoint& own, Checkpoint trained) {
  std::erase_if(own.tensors, [](const StoredTensor& tensor) { return is_weight(tensor.name); });
  for (StoredTensor& tensor : trained.tensors)
    if (is_weight(tensor.name)) own.tensors.push_back(std::move(tensor));
}

class NetworkRunner final : public InferenceRunner {
 public:
  NetworkRunner(std::unique_ptr<Stepper> stepper, std::vector<StoredTensor> pool,
                const NetworkService& asked)
      : stepper_(std::move(stepper)), pool_(std::move(pool)) {
    info_.name = asked.workload;
    info_.inputs = stepper_->inputs();
    info_.largest_batch = asked.largest_batch;
  }

  const ServiceInfo& info() const override { return info_; }

  /// Finds out what the network answers, with one sample.
  Status learn_outputs() {
    const std::vector<InferRequest> one = {example(1)};
    FLYBALL_ASSIGN(const auto answers, run(one));
    for (const StoredTensor& tensor : answers.front()) {
      TensorSpec spec;
      spec.name = tensor.name;
      spec.dtype = tensor.dtype;
      for (size_t d = 1; d < tensor.shape.rank(); ++d) spec.shape.append(tensor.shape[d]);
      info_.outputs.push_back(std::move(spec));
    }
    return {};
  }

  // Inputs one after the other make the minibatch; each request gets its rows of the outputs.
  Result<std::vector<std::vector<StoredTensor>>> run(
      std::span<const InferRequest> requests) override {
    int64_t samples = 0;
    for (const InferRequest& request : requests) samples += request.samples;
    FLYBALL_CHECK(join_inputs(requests, samples));
    FLYBALL_ASSIGN(const StepResult result, stepper_->infer({views_, samples}));
    std::vector<std::vector<StoredTensor>> answers(requests.size());
    for (const TensorView& output : result.outputs.tensors) {
      if (output.shape.empty() || output.shape[0] != samples) continue;  // not of single samples
      int64_t first = 0;
      for (size_t i = 0; i < requests.size(); ++i) {
        answers[i].push_back(rows_of(output, first, requests[i].samples));
        first += requests[i].samples;
      }
    }
    return answers;
  }

  Status take_weights(const std::filesystem::path& file) override {
    FLYBALL_ASSIGN(Checkpoint trained, read_checkpoint(file));
    const auto take = [&]() -> Status {
      FLYBALL_ASSIGN(Checkpoint own, stepper_->checkpoint());
      FLYBALL_CHECK(check_network(own, trained));
      replace_weights(own, std::move(trained));
      return stepper_->restore(own);
    };
    const Status taken = take();
    return taken.ok() ? taken : Status(taken.error().within(file.string()));
  }

  InferRequest example(int64_t samples) const override {
    InferRequest request;
    request.samples = samples;
    for (const StoredTensor& tensor : pool_) {
      StoredTensor input{tensor.name, tensor.dtype, {samples}, {}};
      for (size_t d = 1; d < tensor.shape.rank(); ++d) input.shape.append(tensor.shape[d]);
      const size_t row = tensor.bytes.size() / static_cast<size_t>(tensor.shape[0]);
      for (int64_t i = 0; i < samples; ++i)
        input.bytes.append(tensor.bytes, static_cast<size_t>((next_ + i) % tensor.shape[0]) * row,
                           row);
      request.inputs.push_back(std::move(input));
    }
    next_ += samples;
    request.done = [](const InferAnswer&) {};
    return request;
  }

 private:
  Status join_inputs(std::span<const InferRequest> requests, int64_t samples) {
    const std::vector<TensorSpec>& wanted = stepper_->inputs();
    joined_.resize(wanted.size());
    views_.resize(wanted.size());
    for (size_t t = 0; t < wanted.size(); ++t) {
      joined_[t].clear();
      TensorShape shape{samples};
      for (const InferRequest& request : requests) {
        const auto input = std::ranges::find(request.inputs, wanted[t].name, &StoredTensor::name);
        if (input == request.inputs.end())
          return Error{Code::invalid_argument,
                       fmt::format("a request lacks the tensor '{}'", wanted[t].name),
                       "send every input of the model"};
        TensorShape own{samples};
        for (size_t d = 1; d < input->shape.rank(); ++d) own.append(input->shape[d]);
        if (joined_[t].empty()) shape = own;
        if (!(own == shape))
          return Error{
              Code::invalid_argument,
              fmt::format("requests of one batch have '{}' in different shapes", wanted[t].name),
              "send rows of one length"};
        joined_[t] += input->bytes;
      }
      views_[t] = {wanted[t].name, wanted[t].dtype, shape,
                   reinterpret_cast<const std::byte*>(joined_[t].data())};
    }
    return {};
  }

  std::unique_ptr<Stepper> stepper_;
  std::vector<StoredTensor> pool_;
  ServiceInfo info_;
  std::vector<std::string> joined_;
  std::vector<TensorView> views_;
  mutable std::atomic<int64_t> next_{0};
};

class NetworkTrainer final : public TrainingRunner {
 public:
  NetworkTrainer(LoadedRun run, std::filesystem::path checkpoint)
      : run_(std::move(run)), checkpoint_(std::move(checkpoint)) {}
  Status step() override {
    const auto times = run_.run.next();
    if (!times.ok()) return times.error();
    losses_.push_back(run_.run.loss());
    if (losses_.size() > recent_losses) losses_.pop_front();
    return {};
  }
  double loss() const override {
    return std::accumulate(losses_.begin(), losses_.end(), 0.0) /
           static_cast<double>(losses_.size());
  }
  Status save() override { return checkpoint_.empty() ? Status() : run_.run.save(checkpoint_); }

 private:
  static constexpr size_t recent_losses = 50;

  LoadedRun run_;
  std::filesystem::path checkpoint_;
  std::deque<double> losses_;
};

// The user may not know of the file: it is kept unless told otherwise.
Status resume_training(MinibatchRun& run, const std::filesystem::path& checkpoint) {
  const Status resumed = run.resume(checkpoint);
  if (resumed.ok()) return resumed;
  Error error = resumed.error();
  error.hint += error.hint.empty() ? "" : "; ";
  error.hint += "--checkpoint names another folder, --no-checkpoint keeps none";
  return error;
}

Result<std::vector<StoredTensor>> sample_pool(const NetworkService& asked,
                                              const std::vector<TensorSpec>& inputs) {
  LoaderOptions load;
  load.batch_size = std::min<int64_t>(pool_samples, asked.data.dataset->size());
  load.seed = asked.seed;
  FLYBALL_ASSIGN(const auto loader, Loader::create(asked.data.dataset, asked.data.collate, load));
  loader->start_epoch(0);
  FLYBALL_ASSIGN(const auto batch, loader->next());
  if (!batch) return Error{Code::corrupt, "the dataset has no sample", ""};
  std::vector<StoredTensor> pool;
  for (const TensorSpec& input : inputs) {
    const TensorView* view = batch->view.find(input.name);
    if (!view || input.rows != RowLayout::per_sample)
      return Error{Code::invalid_argument,
                   fmt::format("'{}' of {} is no tensor with a row for each sample", input.name,
                               asked.workload),
                   "networks of pictures and of rows of text can be served"};
    pool.push_back(rows_of(*view, 0, batch->view.samples));
  }
  return pool;
}

}  // namespace

Result<std::unique_ptr<InferenceRunner>> make_network_service(const NetworkService& asked) {
  StepOptions step;
  step.phase = Phase::infer;
  step.batch_size = asked.largest_batch;
  step.threads = asked.threads;
  step.device = asked.device;
  step.seed = asked.seed;
  step.classes = asked.data.dataset->classes();
  step.batch = asked.data.collate->layout();
  step.shape = step.batch.front().shape;
  FLYBALL_ASSIGN(auto stepper, make_stepper(asked.workload, step));
  FLYBALL_ASSIGN(auto pool, sample_pool(asked, stepper->inputs()));
  auto runner = std::make_unique<NetworkRunner>(std::move(stepper), std::move(pool), asked);
  if (!asked.weights.empty()) FLYBALL_CHECK(runner->take_weights(asked.weights));
  FLYBALL_CHECK(runner->learn_outputs());
  return std::unique_ptr<InferenceRunner>(std::move(runner));
}

Result<StartedTraining> make_network_training(const NetworkTraining& asked) {
  StepOptions step;
  step.phase = Phase::train;
  step.batch_size = asked.batch_size;
  step.threads = asked.threads;
  step.device = asked.device;
  step.seed = asked.seed;
  LoaderOptions load;
  load.workers = asked.workers;
  load.drop_last = true;
  FLYBALL_ASSIGN(LoadedRun run,
                 start_run(asked.workload, asked.data.dataset, asked.data.collate, step, load));
  StartedTraining started;
  std::error_code unknown;
  if (!asked.checkpoint.empty() && std::filesystem::exists(asked.checkpoint, unknown)) {
    FLYBALL_CHECK(resume_training(run.run, asked.checkpoint));
    run.run.resume_epoch();
    started.resumed = true;
    started.resumed_epoch = run.run.epoch();
    started.resumed_minibatches = run.run.position();
  }
  started.checkpoint = asked.checkpoint;
  started.runner = std::make_unique<NetworkTrainer>(std::move(run), asked.checkpoint);
  return started;
}

}  // namespace flyball
