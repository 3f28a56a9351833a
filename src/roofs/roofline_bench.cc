// bench/run roofline: our peak of fp32 beside OpenBLAS's SGEMM and our triad beside STREAM's in
// plain C, on the same threads and array sizes, taking turns; the best of all rounds of each. A
// SGEMM is held against our peak of the vectors that it uses: an older OpenBLAS takes a new CPU for
// one without AVX-512.
// usage: roofline_bench [--rounds N] [--threads N]
//
// Peer: OpenBLAS | ldconfig -p | grep -q libopenblas.so.0
// Peer: a C compiler with OpenMP | echo 'int main(void){return 0;}' | cc -x c -fopenmp -o /dev/null
// -
#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/os/temp_folder.h"
#include "base/parallel.h"
#include "roofs/microbench/measure.h"
#include "roofs/microbench/peak_kernels.h"
#include "roofs/microbench/streams.h"
#include "roofs/microbench/team.h"

namespace flyball {
namespace {

constexpr int size = 3072;  // of a square matrix
constexpr int repeats = 5;  // of each in a round

template <class F>
double best_rate(double work, const F& body) {
  double best = 0;
  for (int i = 0; i < repeats; ++i) {
    const Stopwatch watch;
    body();
    best = std::max(best, work / watch.seconds());
  }
  return best;
}

// Our kernel of the width that OpenBLAS computes with here, by the core that it takes this one for;
// the widest where it is none of those.
PeakKernel kernel_like(const std::string& core) {
  for (const char* narrow : {"Haswell", "Zen", "Excavator", "Sandybridge"})
    if (core == narrow)
      for (PeakKernel& kernel : peak_kernels())
        if (kernel.isa == "avx2" && kernel.precision == "fp32") return kernel;
  return widest_fp32();
}

double our_peak(Team& team, const PeakKernel& kernel) {
  constexpr size_t rounds = 4'000'000;
  return best_rate(static_cast<double>(rounds) * kernel.op_per_round * team.size(),
                   [&] { team.run([&](int) { kernel.run(rounds); }); });
}

double our_triad(Team& team, size_t each) {
  const size_t n = each * static_cast<size_t>(team.size());
  static std::vector<double> a(n), b(n, 2.0), c(n, 0.5);
  return best_rate(24 * static_cast<double>(n), [&] {
    team.run([&](int i) {
      const size_t at = static_cast<size_t>(i) * each;
      stream_triad(&a[at], &b[at], &c[at], 3, each);
    });
  });
}

// cblas_sgemm of whatever libopenblas there is; null where there is none.
class OpenBlas {
 public:
  explicit OpenBlas(int threads) : library_(dlopen("libopenblas.so.0", RTLD_NOW)) {
    if (!library_) return;
    sgemm_ = reinterpret_cast<Sgemm>(dlsym(library_, "cblas_sgemm"));
    if (auto* set = reinterpret_cast<void (*)(int)>(dlsym(library_, "openblas_set_num_threads")))
      set(threads);
    if (auto* name = reinterpret_cast<const char* (*)()>(dlsym(library_, "openblas_get_corename")))
      core_ = name();
  }
  const std::string& core() const { return core_; }
  double rate() {
    if (!sgemm_) return 0;
    constexpr int row_major = 101, as_it_is = 111;
    const size_t n = static_cast<size_t>(size) * size;
    static std::vector<float> a(n, 0.5F), b(n, 0.25F), c(n);
    return best_rate(2.0 * size * size * size, [&] {
      sgemm_(row_major, as_it_is, as_it_is, size, size, size, 1, a.data(), size, b.data(), size, 0,
             c.data(), size);
    });
  }

 private:
  using Sgemm = void (*)(int, int, int, int, int, int, float, const float*, int, const float*, int,
                         float, float*, int);
  void* library_;
  Sgemm sgemm_ = nullptr;
  std::string core_;
};

double stream_peer(const std::string& program, size_t elements, int threads) {
  const std::string command =
      fmt::format("OMP_NUM_THREADS={} {} {} {}", threads, program, elements, repeats);
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (!pipe) return 0;
  char line[64] = "";
  const bool answered = std::fgets(line, sizeof line, pipe) != nullptr;
  ::pclose(pipe);
  return answered ? 1e9 * std::atof(line) : 0;
}

int run(int rounds, int threads) {
  const TempFolder folder;
  const std::string program = (folder / "stream").string();
  const bool has_stream =
      std::system(fmt::format("cc -O3 -march=native -fopenmp -o {} {}/bench/peers/stream.c",
                              program, FLYBALL_SOURCE_DIR)
                      .c_str()) == 0;
  Team team(threads);
  OpenBlas blas(threads);
  const size_t each =
      static_cast<size_t>(roof_array_bytes({}) / sizeof(double) / threads) / 256 * 256;
  const PeakKernel alike = kernel_like(blas.core());
  std::map<std::string, double> best;
  const auto take = [&](const char* name, double rate) {
    best[name] = std::max(best[name], 1e-9 * rate);
  };
  for (int round = 1; round <= rounds; ++round) {
    take("peak_gflops", our_peak(team, widest_fp32()));
    take("peak_as_wide_gflops", our_peak(team, alike));
    take("sgemm_gflops", blas.rate());
    take("triad_gbs", our_triad(team, each));
    if (has_stream)
      take("stream_triad_gbs", stream_peer(program, each * static_cast<size_t>(threads), threads));
    fmt::print(stderr,
               "round {}: peak {:.1f}, as wide {:.1f}, SGEMM {:.1f} GFLOP/s; triad {:.2f}, STREAM "
               "{:.2f} GB/s\n",
               round, best["peak_gflops"], best["peak_as_wide_gflops"], best["sgemm_gflops"],
               best["triad_gbs"], best["stream_triad_gbs"]);
  }
  Json figures{
      {"peak_gflops", best["peak_gflops"]}, {"triad_gbs", best["triad_gbs"]}, {"threads", threads}};
  if (best["sgemm_gflops"] > 0) {
    figures["sgemm_gflops"] = best["sgemm_gflops"];
    figures["sgemm_core"] = blas.core();
    figures["peak_as_wide_gflops"] = best["peak_as_wide_gflops"];
    figures["sgemm_of_peak_as_wide"] = best["sgemm_gflops"] / best["peak_as_wide_gflops"];
  }
  if (best["stream_triad_gbs"] > 0) {
    figures["stream_triad_gbs"] = best["stream_triad_gbs"];
    figures["triad_of_stream"] = best["triad_gbs"] / best["stream_triad_gbs"];
  }
  fmt::print("{}\n", Json{{"benchmark", "roofline"}, {"figures", figures}}.dump());
  return 0;
}

}  // namespace
}  // namespace flyball

int main(int argc, char** argv) {
  int rounds = 7, threads = static_cast<int>(flyball::usable_cores());
  for (int i = 1; i + 1 < argc; i += 2)
    (std::string(argv[i]) == "--threads" ? threads : rounds) = std::max(1, std::atoi(argv[i + 1]));
  return flyball::run(rounds, threads);
}
