// SSE2, AVX2 and AVX-512, with dot products in bf16 and int8 where the CPU has them.
#include "roofs/microbench/chains.h"
#include "roofs/microbench/peak_kernels.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace flyball::peaks {

#if defined(__x86_64__)
namespace {

// Values that the compiler does not know.
float opaque(float value) {
  volatile float hidden = value;
  return hidden;
}

// NOLINTBEGIN(cppcoreguidelines-macro-usage)
#define A_B(TYPE, SET) const TYPE a = SET(opaque(0.999F)), b = SET(opaque(0.001F))
#define SET_PS(x) _mm_set1_ps(static_cast<float>(x))
#define SET_PD(x) _mm_set1_pd(static_cast<double>(x))
#define SET_PS256(x) _mm256_set1_ps(static_cast<float>(x))
#define SET_PD256(x) _mm256_set1_pd(static_cast<double>(x))
#define SET_PS512(x) _mm512_set1_ps(static_cast<float>(x))
#define SET_PD512(x) _mm512_set1_pd(static_cast<double>(x))
#define STEP_PS(x) _mm_add_ps(_mm_mul_ps(x, a), b)
#define STEP_PD(x) _mm_add_pd(_mm_mul_pd(x, a), b)
#define STEP_PS256(x) _mm256_fmadd_ps(x, a, b)
#define STEP_PD256(x) _mm256_fmadd_pd(x, a, b)
#define STEP_PS512(x) _mm512_fmadd_ps(x, a, b)
#define STEP_PD512(x) _mm512_fmadd_pd(x, a, b)
#define FIRST_PS(x) _mm_cvtss_f32(x)
#define FIRST_PD(x) _mm_cvtsd_f64(x)
#define FIRST_PS256(x) _mm256_cvtss_f32(x)
#define FIRST_PD256(x) _mm256_cvtsd_f64(x)
#define FIRST_PS512(x) _mm512_cvtss_f32(x)
#define FIRST_PD512(x) _mm512_cvtsd_f64(x)
FLYBALL_CHAINS(sse2_fp32, "sse2", __m128, A_B(__m128, SET_PS), SET_PS, STEP_PS, FIRST_PS)
FLYBALL_CHAINS(sse2_fp64, "sse2", __m128d, A_B(__m128d, SET_PD), SET_PD, STEP_PD, FIRST_PD)
FLYBALL_CHAINS(avx2_fp32, "avx2,fma", __m256, A_B(__m256, SET_PS256), SET_PS256, STEP_PS256,
               FIRST_PS256)
FLYBALL_CHAINS(avx2_fp64, "avx2,fma", __m256d, A_B(__m256d, SET_PD256), SET_PD256, STEP_PD256,
               FIRST_PD256)
FLYBALL_CHAINS(avx512_fp32, "avx512f", __m512, A_B(__m512, SET_PS512), SET_PS512, STEP_PS512,
               FIRST_PS512)
FLYBALL_CHAINS(avx512_fp64, "avx512f", __m512d, A_B(__m512d, SET_PD512), SET_PD512, STEP_PD512,
               FIRST_PD512)

// Each step multiplies pairs of bf16 (quads of int8) and adds them to a sum of 32 bits. 0x3c00 is
// the bf16 0.0078.
#define BF16_PAIR \
  const __m512bh a = (__m512bh)_mm512_set1_epi16(static_cast<short>(opaque(0x3c00))), b = a
#define STEP_BF16(x) _mm512_dpbf16_ps(x, a, b)
#define INT8_512 const __m512i a = _mm512_set1_epi8(static_cast<char>(opaque(1))), b = a
#define STEP_INT8_512(x) _mm512_dpbusd_epi32(x, a, b)
#define SET_INT512(i) _mm512_set1_epi32(i)
#define FIRST_INT512(x) x[0]
FLYBALL_CHAINS(avx512_bf16, "avx512f,avx512bw,avx512bf16", __m512, BF16_PAIR, SET_PS512, STEP_BF16,
               FIRST_PS512)
FLYBALL_CHAINS(avx512_int8, "avx512f,avx512bw,avx512vnni", __m512i, INT8_512, SET_INT512,
               STEP_INT8_512, FIRST_INT512)

#define ADD_PS(x, y) _mm_add_ps(x, y)
#define ADD_PS256(x, y) _mm256_add_ps(x, y)
#define ADD_PS512(x, y) _mm512_add_ps(x, y)
FLYBALL_SWEEP(sse2_sweep, "sse2", __m128, 4, A_B(__m128, SET_PS), _mm_loadu_ps, STEP_PS, ADD_PS,
              FIRST_PS)
FLYBALL_SWEEP(avx2_sweep, "avx2,fma", __m256, 8, A_B(__m256, SET_PS256), _mm256_loadu_ps,
              STEP_PS256, ADD_PS256, FIRST_PS256)
FLYBALL_SWEEP(avx512_sweep, "avx512f", __m512, 16, A_B(__m512, SET_PS512), _mm512_loadu_ps,
              STEP_PS512, ADD_PS512, FIRST_PS512)
// NOLINTEND(cppcoreguidelines-macro-usage)

double per_round(int lanes, int op_per_lane = 2) {
  return static_cast<double>(chains) * lanes * op_per_lane;
}

}  // namespace

std::vector<PeakKernel> x86() {
  __builtin_cpu_init();
  std::vector<PeakKernel> list = {{"sse2", "fp32", 128, per_round(4), sse2_fp32, sse2_sweep},
                                  {"sse2", "fp64", 128, per_round(2), sse2_fp64, nullptr}};
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    list.push_back({"avx2", "fp32", 256, per_round(8), avx2_fp32, avx2_sweep});
    list.push_back({"avx2", "fp64", 256, per_round(4), avx2_fp64, nullptr});
  }
  if (!__builtin_cpu_supports("avx512f")) return list;
  list.push_back({"avx512", "fp32", 512, per_round(16), avx512_fp32, avx512_sweep});
  list.push_back({"avx512", "fp64", 512, per_round(8), avx512_fp64, nullptr});
  if (!__builtin_cpu_supports("avx512bw")) return list;
  if (__builtin_cpu_supports("avx512bf16"))
    list.push_back({"avx512", "bf16", 512, per_round(16, 4), avx512_bf16, nullptr});
  if (__builtin_cpu_supports("avx512vnni"))
    list.push_back({"avx512", "int8", 512, per_round(16, 8), avx512_int8, nullptr});
  return list;
}
#else
std::vector<PeakKernel> x86() {
  return {};
}
#endif

}  // namespace flyball::peaks
