// Minibatches that somebody measured on several boards, to be shown beside a comparison.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "base/csv.h"

namespace flyball {

struct MeasuredMinibatch {
  std::string board, network;
  double batch_size = 0, loader_workers = 0;
  double minibatch_ms = 0;  ///< the median where several rows have these settings
  size_t rows = 1;          ///< that it is of
};

/// Rows of training: columns device, workload, phase, batch_size, loader_workers, minibatch_ms, and
/// stall_ms and compute_ms, whose sum counts where minibatch_ms is empty. Others are passed over.
/// Errors name file, line and column: a column is missing, a field is no number, a row has no time.
Result<std::vector<MeasuredMinibatch>> parse_measured_minibatches(const Csv& csv);
Result<std::vector<MeasuredMinibatch>> read_measured_minibatches(const std::filesystem::path& file);

/// Of this board and network at these settings; null where there is none.
const MeasuredMinibatch* find_measured(std::span<const MeasuredMinibatch> measured,
                                       const std::string& board, const std::string& network,
                                       double batch_size, double loader_workers);

}  // namespace flyball
