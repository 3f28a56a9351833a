// WikiText (Merity et al. 2016) as it is distributed: wiki.train.tokens, wiki.valid.tokens and
// wiki.test.tokens, words that are told apart by blanks; each line end counts as the word <eos>.
#pragma once

#include <cstdint>
#include <filesystem>

#include "base/status.h"
#include "data/dataset.h"

namespace flyball {

struct WikiTextOptions {
  int64_t window = 35;    ///< words of a sample: what is backpropagated through
  int64_t words = 29423;  ///< the largest vocabulary: the papers'
};

bool has_wikitext(const std::filesystem::path& folder, Split split);

/// Reads the file once to find its words and where its windows begin, and then each window in its
/// place. The vocabulary is that of the training file, where there is one, for both parts. Errors
/// name the file: it cannot be read, is shorter than a window, or holds no text.
Result<DatasetPtr> open_wikitext(const std::filesystem::path& folder, Split split,
                                 const WikiTextOptions& options = {});

}  // namespace flyball
