#include "profile/trials/memory_fit.h"

#include <fmt/format.h>

#include <utility>

#include "cost/networks.h"
#include "data/batch_buffer.h"
#include "data/typed_shape.h"

namespace flyball {
namespace {

double minibatch_bytes(const std::vector<TensorSpec>& layout, int64_t samples) {
  const auto bytes = BatchBuffer::bytes_for(layout, samples);
  return bytes ? static_cast<double>(*bytes) : 0;
}

}  // namespace

Result<MemoryFit> MemoryFit::measure(const std::string& workload, const StepOptions& step,
                                     const RunData& data, uint64_t available) {
  StepOptions own = step;
  if (own.classes == 0) own.classes = data.dataset->classes();
  own.batch = data.collate->layout();
  own.shape = own.batch.front().shape;
  FLYBALL_ASSIGN(MemoryModel model, measure_memory(workload, own, drawn_batches()));
  return MemoryFit(std::move(model), own.batch, available);
}

Result<MemoryFit> MemoryFit::known(const std::string& workload, Phase phase, const RunData& data,
                                   uint64_t available) {
  const auto layout = data.collate->layout();
  FLYBALL_ASSIGN(NetworkMemory memory,
                 network_memory(workload, phase, typed_shape(layout.front().shape)));
  return MemoryFit(std::move(memory.model), layout, available);
}

double MemoryFit::needed(int64_t batch_size, int64_t workers, int64_t prefetch) const {
  const auto slots = static_cast<double>(workers * prefetch + 1);
  return model_.kept(static_cast<double>(batch_size)) +
         slots * minibatch_bytes(layout_, batch_size);
}

MemoryNeed MemoryFit::need(int64_t batch_size, int64_t workers, int64_t prefetch) const {
  const auto available = static_cast<double>(available_);
  return {.needed_bytes = needed(batch_size, workers, prefetch),
          .available_bytes = available,
          .largest_batch = largest_batch(available, [&](double batch) {
            return needed(static_cast<int64_t>(batch), workers, prefetch);
          })};
}

Error does_not_fit(const std::string& workload, const std::string& why, const std::string& smaller,
                   bool memory_told) {
  return {Code::infeasible, fmt::format("{} does not fit: {}", workload, why),
          fmt::format("{}; or --no-memory-check to try all the same",
                      !smaller.empty() ? smaller
                      : memory_told    ? "allow more --memory"
                                       : "take a machine with more memory")};
}

}  // namespace flyball
