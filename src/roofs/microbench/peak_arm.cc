// NEON, with fp16 and dot products of int8 where the CPU has them.
#include "roofs/microbench/chains.h"
#include "roofs/microbench/peak_kernels.h"

#if defined(__aarch64__)
#include <arm_neon.h>
#include <asm/hwcap.h>
#include <sys/auxv.h>
#endif

namespace flyball::peaks {

#if defined(__aarch64__)
namespace {

// Values that the compiler does not know.
float opaque(float value) {
  volatile float hidden = value;
  return hidden;
}

// NOLINTBEGIN(cppcoreguidelines-macro-usage)
#define BASE "arch=armv8-a"
#define F32_AB const float32x4_t a = vdupq_n_f32(opaque(0.999F)), b = vdupq_n_f32(opaque(0.001F))
#define F64_AB const float64x2_t a = vdupq_n_f64(opaque(0.999F)), b = vdupq_n_f64(opaque(0.001F))
#define START_F32(i) vdupq_n_f32(static_cast<float>(i))
#define START_F64(i) vdupq_n_f64(i)
#define STEP_F32(x) vfmaq_f32(b, x, a)
#define STEP_F64(x) vfmaq_f64(b, x, a)
#define FIRST_F32(x) vgetq_lane_f32(x, 0)
#define FIRST_F64(x) vgetq_lane_f64(x, 0)
FLYBALL_CHAINS(neon_fp32, BASE, float32x4_t, F32_AB, START_F32, STEP_F32, FIRST_F32)
FLYBALL_CHAINS(neon_fp64, BASE, float64x2_t, F64_AB, START_F64, STEP_F64, FIRST_F64)
FLYBALL_SWEEP(neon_sweep, BASE, float32x4_t, 4, F32_AB, vld1q_f32, STEP_F32, vaddq_f32, FIRST_F32)

#define F16_AB                                                             \
  const float16x8_t a = vdupq_n_f16(static_cast<float16_t>(opaque(0.5F))), \
                    b = vdupq_n_f16(static_cast<float16_t>(opaque(0.25F)))
#define START_F16(i) vdupq_n_f16(static_cast<float16_t>(i))
#define STEP_F16(x) vfmaq_f16(b, x, a)
#define FIRST_F16(x) vgetq_lane_f16(x, 0)
FLYBALL_CHAINS(neon_fp16, "arch=armv8.2-a+fp16", float16x8_t, F16_AB, START_F16, STEP_F16,
               FIRST_F16)

#define S8_AB const int8x16_t a = vdupq_n_s8(static_cast<int8_t>(opaque(1))), b = a
#define START_S32(i) vdupq_n_s32(i)
#define STEP_S8(x) vdotq_s32(x, a, b)
#define FIRST_S32(x) vgetq_lane_s32(x, 0)
FLYBALL_CHAINS(neon_int8, "arch=armv8.2-a+dotprod", int32x4_t, S8_AB, START_S32, STEP_S8, FIRST_S32)
// NOLINTEND(cppcoreguidelines-macro-usage)

}  // namespace

std::vector<PeakKernel> arm() {
  const double lane = 2.0 * chains;
  std::vector<PeakKernel> list = {{"neon", "fp32", 128, 4 * lane, neon_fp32, neon_sweep},
                                  {"neon", "fp64", 128, 2 * lane, neon_fp64, nullptr}};
  const unsigned long has = getauxval(AT_HWCAP);
  if (has & HWCAP_ASIMDHP) list.push_back({"neon", "fp16", 128, 8 * lane, neon_fp16, nullptr});
  if (has & HWCAP_ASIMDDP) list.push_back({"neon", "int8", 128, 16 * lane, neon_int8, nullptr});
  return list;
}
#else
std::vector<PeakKernel> arm() {
  return {};
}
#endif

}  // namespace flyball::peaks
