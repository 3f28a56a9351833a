#include "workload/versions.h"

#include <torch/version.h>

namespace flyball {

std::string library_versions() {
  return "LibTorch " TORCH_VERSION;
}

}  // namespace flyball
