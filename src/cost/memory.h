// What a step holds in memory, by part, at any batch size: measured block by block at two small
// ones. The peak is where most is alive at once, which moves with the batch size (from the
// optimizer's step to the end of the forward pass, say), so blocks are extrapolated and not peaks.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/status.h"

namespace flyball {

/// Blocks from this size on come from a pool that keeps them (workload/block_pool.h).
inline constexpr size_t pooled_from = size_t{64} << 10;

enum class MemoryPart {
  weights,      ///< with what a network keeps besides, statistics of normalisations say
  gradients,    ///< of the weights
  optimizer,    ///< velocity, moments
  activations,  ///< that the backward pass needs, outputs, and what goes on to the next minibatch
  workspace,    ///< all that is gone within its pass: columns of convolutions, gradients on the way
};
inline constexpr std::array memory_parts = {MemoryPart::weights, MemoryPart::gradients,
                                            MemoryPart::optimizer, MemoryPart::activations,
                                            MemoryPart::workspace};
const char* memory_part_name(MemoryPart part);

/// Bytes by part at one moment.
class MemoryUse {
 public:
  double operator[](MemoryPart part) const { return bytes_[static_cast<size_t>(part)]; }
  double& operator[](MemoryPart part) { return bytes_[static_cast<size_t>(part)]; }
  double total() const;

 private:
  std::array<double, memory_parts.size()> bytes_{};
};

/// Moments are numbers of events, allocations and releases counted together; 0: before the step.
struct MemoryBlock {
  double bytes = 0;
  MemoryPart part = MemoryPart::workspace;
  size_t begin = 0, end = 0;  ///< alive from `begin` until before `end`
};

/// One step at one batch size, once the network runs: its second one.
struct StepMemory {
  double batch_size = 1;
  std::vector<MemoryBlock> blocks;  ///< in the order of their beginnings
  size_t forward_end = 0;           ///< moment at which the (last) forward pass was over
  size_t backward_end = 0;          ///< 0 where there is no backward pass
  size_t end = 0;                   ///< of the step

  /// What is alive at this moment.
  MemoryUse at(size_t moment) const;
  /// What is alive when most of it is, from a moment until before another.
  MemoryUse peak(size_t from, size_t until) const;
  MemoryUse peak() const { return peak(0, end + 1); }
};

/// Does a minibatch fit? What it needs, what there is for it, and the largest one that fits.
struct MemoryNeed {
  double needed_bytes = 0, available_bytes = 0;
  int64_t largest_batch = 0;  ///< 0: not even one sample fits

  bool fits() const { return needed_bytes <= available_bytes; }
  /// "needs 9.8 GB of memory, and 7.1 GB are available".
  std::string text() const;
  /// "batch_size 512 with 4 loader_workers needs 9.8 GB of memory, and 7.1 GB are available; the
  /// largest that fits is 371". Of loading inline no workers are told.
  std::string text_of(double batch_size, double workers) const;
};
/// The largest batch size whose bytes, which grow with it, are within `bytes`; 0: not even one
/// sample fits. At most 2^20.
int64_t largest_batch(double bytes, const std::function<double(double batch_size)>& needed);

/// How much memory steps of one network take, from steps at two batch sizes.
class MemoryModel {
 public:
  /// Errors: equal batch sizes, or one below one.
  static Result<MemoryModel> of(StepMemory a, StepMemory b);

  /// Do both sizes allocate and release alike? Then each block is a line over the batch size, and
  /// the peak is that of their sum; else each part of the peak is a line.
  bool by_block() const { return by_block_; }
  /// At a batch size of one or more.
  MemoryUse peak(double batch_size) const;
  /// What a process holds from its second step on: the peak, and the gaps that the pool is left
  /// with where blocks of other sizes lay.
  double kept(double batch_size) const;
  /// The largest batch size with which what is kept and `bytes_per_sample` besides for each sample
  /// are within `bytes`; 0: not even one sample fits. At most 2^20.
  int64_t largest_batch(double bytes, double bytes_per_sample = 0) const;
  /// The two steps.
  const StepMemory& smaller() const { return a_; }
  const StepMemory& larger() const { return b_; }

 private:
  MemoryModel(StepMemory a, StepMemory b);
  StepMemory extrapolated(double batch_size) const;

  StepMemory a_, b_;
  bool by_block_;
};

}  // namespace flyball
