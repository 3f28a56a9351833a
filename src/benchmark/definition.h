// The benchmark of edge training as data (benchmarks/edge_training.toml): what is trained on what,
// and what it must reach.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "benchmark/test_part.h"
#include "data/makers/make.h"

namespace flyball {

struct BenchmarkEntry {
  std::string id;
  std::string network;  ///< of workloads()
  std::string dataset;  ///< kind, drawn
  int64_t samples = 0;  ///< of its training part
  int64_t classes = 0;  ///< 0: as the kind has
  PictureSize size{};   ///< of drawn pictures
  int image_size = 0;   ///< that they are made; 0: as usual
  int64_t batch_size = 16;
  Optimizer optimizer = Optimizer::sgd;
  double learning_rate = 0.01;
  Quality quality = Quality::accuracy;
  double target = 0;
  int epochs = 0;  ///< that it took to reach it where the target was set
  int most_epochs = 0;

  /// "mnist-60000" or "coco-256-3x160x120": the folder of its set.
  std::string set_name() const;
  std::string target_text() const;  ///< "accuracy ≥ 0.99"
};

struct BenchmarkRules {
  int later_epochs = 0;   ///< at least so many beside the first
  int power_samples = 0;  ///< at least
  double rate_hz = 0;     ///< of them, at least
  double unevenness = 0;  ///< most time between two of them, in medians
  double settle_s = 0;    ///< of training before the first of them
  double others_pct = 0;  ///< of one core, that other programs may take on average
};

struct Benchmark {
  std::string name;
  int version = 0;
  uint64_t seed = 0;
  BenchmarkRules rules;
  std::vector<BenchmarkEntry> entries;
  std::string digest;  ///< of the file's text: equal ones are one benchmark

  /// Null where there is none.
  const BenchmarkEntry* find(const std::string& id) const;
};

/// Errors name file and line.
Result<Benchmark> parse_benchmark(const std::string& text, const std::string& name);
/// The one that Flyball brings along.
Result<Benchmark> edge_training();

/// A file of benchmarks/ as it travels in the program.
struct BenchmarkText {
  const char* file;
  const char* text;
};
const std::vector<BenchmarkText>& benchmark_texts();

}  // namespace flyball
