// Results of the benchmark for people.
#pragma once

#include <string>

#include "benchmark/ranking.h"

namespace flyball::cli {

// Each ends with a line end.
std::string benchmark_text(const BenchmarkResult& result);
std::string check_text(const CheckedResult& checked);
std::string ranking_text(const Ranking& ranking);

}  // namespace flyball::cli
