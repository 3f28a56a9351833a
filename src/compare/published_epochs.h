// Epochs of training on several boards as a report published them: compare/published.toml.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/status.h"

namespace flyball {

struct PublishedEpoch {
  std::optional<double> seconds;  ///< nothing: it did not fit into memory
};

struct PublishedEpochs {
  std::string title, source;
  double batch_size = 0, loader_workers = 0;  ///< of all of them
  std::map<std::string, double> samples;      ///< of an epoch, by network, where that is told
  std::map<std::string, std::map<std::string, PublishedEpoch>> epochs;  ///< by board and network

  /// Null where nothing was published.
  const PublishedEpoch* find(const std::string& board, const std::string& network) const;
};

/// Errors name file and line.
Result<PublishedEpochs> parse_published_epochs(const std::string& text, const std::string& file);
/// Those that the program brings along.
Result<PublishedEpochs> known_published_epochs();

}  // namespace flyball
