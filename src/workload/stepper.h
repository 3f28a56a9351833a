// Training and inference steps of a network on LibTorch, none of whose headers is seen here: it
// comes with the module (module/module.h) when the first stepper is made.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"
#include "data/batch.h"
#include "data/batch_buffer.h"
#include "space/axis.h"
#include "workload/checkpoint.h"

namespace flyball {

enum class Optimizer { sgd, adam, adamw };
enum class Precision { fp32, bf16 };

const char* optimizer_name(Optimizer optimizer);  ///< "sgd", "adam", "adamw"
Result<Optimizer> parse_optimizer(const std::string& text);
const char* precision_name(Precision precision);  ///< "fp32", "bf16"
Result<Precision> parse_precision(const std::string& text);

/// How a network is trained or served. The defaults are those of the characterisation study
/// (POMACS 6(3), 2022): SGD with lr 0.01 and momentum 0.9, cross-entropy, batch 16.
struct StepOptions {
  Phase phase = Phase::train;
  int64_t batch_size = usual_batch_size;  ///< the largest minibatch that will come
  Optimizer optimizer = Optimizer::sgd;
  std::optional<double> learning_rate{};  ///< nothing: see learning_rate()
  double momentum = 0.9;                  ///< of SGD; Adam keeps its 0.9 and 0.999
  std::optional<double> weight_decay{};   ///< nothing: the optimizer's own, see weight_decay()
  /// A minibatch is computed in so many parts, one after the other, whose gradients add up: for
  /// minibatches that do not fit into memory. At most as many as it has samples.
  int64_t accumulate = 1;
  Precision precision = Precision::fp32;  ///< bf16: autocast, parameters stay fp32
  bool channels_last = false;             ///< NHWC in memory: pays on large images
  int threads = 0;                        ///< LibTorch's; 0 leaves them as they are
  std::string device = "cpu";             ///< "cpu", "cuda", "cuda:N"
  uint64_t seed = 1;                      ///< of initial weights and dropout
  int64_t classes = 0;                    ///< 0: the workload's own
  TensorShape shape{};                    ///< of a sample's first input; empty: the workload's own
  std::vector<TensorSpec> batch{};        ///< what minibatches hold; a script finds its own in it
  /// Of a script: the tensors that its forward takes, in this order. Empty: those of `batch` that
  /// its arguments are named as, else the first.
  std::vector<std::string> inputs{};
  /// Of a script: a TorchScript file whose forward gives the loss, of what the script answers and
  /// of tensors of `batch` by the names of its other arguments. Empty: cross-entropy with "label".
  std::string loss{};
};

/// The learning rate that holds: what is asked for, else 0.01.
double learning_rate(const StepOptions& options);
/// The weight decay that holds: what is asked for, else 0.01 for AdamW and none for the others, as
/// published and as in PyTorch.
double weight_decay(const StepOptions& options);

/// What came of one minibatch.
struct StepResult {
  double loss = 0;  ///< training: what was made small, before the step; inference: 0
  /// Inference: what the network answers ("logits", say). Training: "loss" and what the network
  /// shows beside it, scalars (float64). In host memory; valid until the stepper's next call.
  BatchView outputs;
};

/// One network on one device. Not to be used from two threads at once.
class Stepper {
 public:
  virtual ~Stepper() = default;

  /// Training: forward, the workload's loss, backward, optimizer step. Inference: forward; batches
  /// need no labels. Waits for the device to finish, so that wall time around a call is compute
  /// time. Errors name the tensor that does not fit, the label out of range, or memory that ran
  /// out, after which smaller minibatches still run.
  virtual Result<StepResult> step(const BatchView& batch) = 0;
  /// Forward in evaluation mode whatever the phase; changes no weights.
  virtual Result<StepResult> infer(const BatchView& batch) = 0;
  /// An epoch begins: what a network carries from minibatch to minibatch is forgotten.
  virtual void begin_epoch() = 0;
  /// All that the next step depends on: weights, optimizer, random state, what the network carries.
  virtual Result<Checkpoint> checkpoint() = 0;
  /// Goes on where the checkpoint was taken, to the bit: with its learning rate and weight decay
  /// where the options leave them open, and options() has these then. Errors: it is of another
  /// network, of other options or of other tensors; nothing has changed then.
  virtual Status restore(const Checkpoint& checkpoint) = 0;
  /// What a batch must hold, and what it must hold besides for training; −1 sizes may vary.
  virtual const std::vector<TensorSpec>& inputs() const = 0;
  virtual const std::vector<TensorSpec>& targets() const = 0;
  /// Trainable numbers.
  virtual int64_t parameter_count() const = 0;
  /// What it was made with, classes and shape filled in.
  virtual const StepOptions& options() const = 0;
};

/// A stepper for a workload of the list (workload.h), or for the TorchScript module of
/// "script:FILE", which needs classes and shape. Errors: no module or no LibTorch, unknown name,
/// options out of range, a device that is not there.
Result<std::unique_ptr<Stepper>> make_stepper(const std::string& network,
                                              const StepOptions& options);

/// Can LibTorch compute there? Known without it for "cpu". Errors: no module, no CUDA, no such GPU.
Status check_device(const std::string& device);

/// Where minibatches for a device live: pinned memory for CUDA, from which copies run faster; empty
/// for others (ordinary memory). What it gives is null when there is no memory.
BatchAllocator batch_allocator(const std::string& device);

/// Keeps freed memory instead of giving it back after every step (ResNet-50 steps are a quarter
/// shorter). Idempotent; make_stepper() calls it. Best called before the first large allocation.
void keep_freed_memory();

}  // namespace flyball
