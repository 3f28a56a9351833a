// bf16 autocast, whose interface moved between LibTorch versions.
#pragma once

#include <ATen/autocast_mode.h>
#include <c10/core/Device.h>
#include <torch/version.h>

#define FLYBALL_TORCH_AT_LEAST(major, minor) \
  (TORCH_VERSION_MAJOR > (major) ||          \
   (TORCH_VERSION_MAJOR == (major) && TORCH_VERSION_MINOR >= (minor)))

namespace flyball {

/// bf16 autocast came with LibTorch 1.10.
constexpr bool has_bf16_autocast = FLYBALL_TORCH_AT_LEAST(1, 10);

/// Do operations on the CPU run in bf16 at present?
inline bool autocast_on_cpu() {
#if FLYBALL_TORCH_AT_LEAST(2, 4)
  return at::autocast::is_autocast_enabled(at::kCPU);
#elif FLYBALL_TORCH_AT_LEAST(1, 10)
  return at::autocast::is_cpu_enabled();
#else
  return false;
#endif
}

/// While alive, operations on `device` run in bf16 where that is safe. Does nothing when not
/// `wanted`.
class Autocast {
 public:
  Autocast(c10::Device device, bool wanted) : device_(device), wanted_(wanted) {
    if (wanted_) set(true);
  }
  ~Autocast() {
    if (!wanted_) return;
    set(false);
    at::autocast::clear_cache();
  }
  Autocast(const Autocast&) = delete;
  Autocast& operator=(const Autocast&) = delete;

 private:
  void set([[maybe_unused]] bool on) const {
#if FLYBALL_TORCH_AT_LEAST(2, 4)
    at::autocast::set_autocast_dtype(device_.type(), at::kBFloat16);
    at::autocast::set_autocast_enabled(device_.type(), on);
#elif FLYBALL_TORCH_AT_LEAST(1, 10)
    at::autocast::set_autocast_cpu_dtype(at::kBFloat16);
    at::autocast::set_autocast_gpu_dtype(at::kBFloat16);
    device_.is_cpu() ? at::autocast::set_cpu_enabled(on) : at::autocast::set_enabled(on);
#endif
  }

  c10::Device device_;
  bool wanted_;
};

}  // namespace flyball
