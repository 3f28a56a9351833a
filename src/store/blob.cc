#include "store/blob.h"

#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>

#include "store/varint.h"

namespace flyball {
namespace {

constexpr double ns_per_ms = 1e6, us_per_s = 1e6, uw_per_w = 1e6;
constexpr double largest = 1e15;  // far from the limits of int64, so that differences are safe

// No encoder goes beyond this; sums of what is read cannot overflow.
std::optional<int64_t> get(std::string_view& bytes) {
  const auto value = get_signed_varint(bytes);
  if (!value || std::abs(static_cast<double>(*value)) > 4 * largest) return {};
  return value;
}

bool is_kept(int64_t value) {
  return std::abs(static_cast<double>(value)) <= largest;
}

Result<int64_t> whole(double value, double scale, const char* what) {
  const double scaled = value * scale;
  if (std::abs(scaled) <= largest) return std::llround(scaled);
  return Error{Code::invalid_argument, fmt::format("a {} of {} cannot be stored", what, value),
               "values must be finite"};
}

Error damaged(const char* what) {
  return {Code::corrupt, fmt::format("the stored {} are damaged", what),
          "delete the run that holds them, or restore the store from a copy"};
}

}  // namespace

// Stall and compute as differences to the minibatch before: noise is shorter than what it lies on.
Result<std::string> encode_minibatches(const std::vector<MinibatchTimes>& times) {
  std::string bytes;
  int64_t last_stall = 0, last_compute = 0;
  int last_epoch = 0;
  for (const MinibatchTimes& time : times) {
    FLYBALL_ASSIGN(const int64_t stall, whole(time.stall_ms, ns_per_ms, "stall time"));
    FLYBALL_ASSIGN(const int64_t compute, whole(time.compute_ms, ns_per_ms, "compute time"));
    FLYBALL_ASSIGN(const int64_t e2e, whole(time.e2e_ms, ns_per_ms, "minibatch time"));
    if (time.epoch < 0)
      return Error{Code::invalid_argument, fmt::format("epoch {} cannot be stored", time.epoch),
                   "epochs count from 0"};
    put_signed_varint(bytes, stall - last_stall);
    put_signed_varint(bytes, compute - last_compute);
    put_signed_varint(bytes, e2e - stall - compute);
    put_signed_varint(bytes, time.epoch - last_epoch);
    last_stall = stall;
    last_compute = compute;
    last_epoch = time.epoch;
  }
  return bytes;
}

Result<std::vector<MinibatchTimes>> decode_minibatches(std::string_view bytes) {
  std::vector<MinibatchTimes> times;
  int64_t stall = 0, compute = 0, epoch = 0;
  while (!bytes.empty()) {
    const auto stall_step = get(bytes), compute_step = get(bytes), overhead = get(bytes);
    const auto epoch_step = get(bytes);
    if (!stall_step || !compute_step || !overhead || !epoch_step) return damaged("minibatch times");
    stall += *stall_step;
    compute += *compute_step;
    epoch += *epoch_step;
    if (!is_kept(stall) || !is_kept(compute) || epoch < 0 ||
        epoch > std::numeric_limits<int>::max())
      return damaged("minibatch times");
    const auto ms = [](int64_t ns) { return static_cast<double>(ns) / ns_per_ms; };
    times.push_back(
        {ms(stall), ms(compute), ms(stall + compute + *overhead), static_cast<int>(epoch)});
  }
  return times;
}

Result<std::string> encode_trace(const std::vector<PowerSample>& samples) {
  std::string bytes;
  int64_t last_us = 0, last_uw = 0;
  for (const PowerSample& sample : samples) {
    FLYBALL_ASSIGN(const int64_t us, whole(sample.t_s, us_per_s, "sample time"));
    FLYBALL_ASSIGN(const int64_t uw, whole(sample.power_w, uw_per_w, "power"));
    put_signed_varint(bytes, us - last_us);
    put_signed_varint(bytes, uw - last_uw);
    last_us = us;
    last_uw = uw;
  }
  return bytes;
}

Result<std::vector<PowerSample>> decode_trace(std::string_view bytes) {
  std::vector<PowerSample> samples;
  double us = 0, uw = 0;  // whole numbers below 2^53 for all that an encoder writes
  while (!bytes.empty()) {
    const auto dt = get(bytes), dw = get(bytes);
    if (!dt || !dw) return damaged("power samples");
    us += static_cast<double>(*dt);
    uw += static_cast<double>(*dw);
    samples.push_back({us / us_per_s, uw / uw_per_w});
  }
  return samples;
}

}  // namespace flyball
