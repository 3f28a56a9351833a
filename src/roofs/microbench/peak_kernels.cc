#include "roofs/microbench/peak_kernels.h"

namespace flyball {

std::vector<PeakKernel> peak_kernels() {
  std::vector<PeakKernel> all = peaks::plain();
  for (auto* list : {peaks::x86, peaks::arm})
    for (PeakKernel& kernel : list()) all.push_back(std::move(kernel));
  return all;
}

PeakKernel widest_fp32() {
  PeakKernel widest;
  for (PeakKernel& kernel : peak_kernels())
    if (kernel.sweep && (!widest.run || kernel.bits >= widest.bits)) widest = std::move(kernel);
  return widest;
}

}  // namespace flyball
