// Questions about drawn paragraphs in the true format of SQuAD v2, for a machine without it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/status.h"

namespace flyball {

/// Raised whenever something else is drawn: sets that are kept are drawn again.
constexpr int kQuestionsVersion = 1;

struct QuestionOptions {
  int64_t train = 1000;  ///< questions
  int64_t dev = 100;
  double words = 110;  ///< of a paragraph, on average; SQuAD's have about 120
  uint64_t seed = 1;
  size_t vocabulary = 30'522;  ///< lines; of 2,500 on they are words that nobody uses
};

/// Writes train-v2.0.json, dev-v2.0.json and a vocab.txt of as many lines as uncased BERT's has.
/// A paragraph tells some of eight properties of one thing ("The harvest of Velto is dark barley.")
/// among sentences that tell nothing; a question asks for a property, and cannot be answered where
/// it is not told, a third of them. So which words are asked for is to be learned, and where they
/// stand. Most names are words that the vocabulary has in pieces; some letters have accents.
Status make_questions(const std::filesystem::path& folder, const QuestionOptions& options = {});

}  // namespace flyball
