#include "profile/trials/memory_fit.h"

#include <fmt/format.h>

#include <utility>

#include "data/batch_buffer.h"

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

double MemoryFit::needed(int64_t batch_size, int64_t workers, int64_t prefetch) const {
  const auto slots = static_cast<double>(workers * prefetch + 1);
  return model_.kept(static_cast<double>(batch_size)) +
         slots * minibatch_bytes(layout_, batch_size);
}

int64_t MemoryFit::largest_batch() const {
  return model_.largest_batch(static_cast<double>(available_), minibatch_bytes(layout_, 1));
}

std::string MemoryFit::explained(int64_t batch_size, int64_t workers, int64_t prefetch) const {
  const int64_t largest = largest_batch();
  return fmt::format("batch_size {}{} needs {:.2f} GB of memory, and {:.2f} GB are available; {}",
                     batch_size,
                     workers == 0 ? "" : fmt::format(" with {} loader_workers", workers),
                     needed(batch_size, workers, prefetch) * 1e-9, available() * 1e-9,
                     largest == 0 ? std::string("not even one sample fits")
                                  : fmt::format("the largest that fits is {}", largest));
}

}  // namespace flyball
