// WordPiece (Wu et al. 2016) as BERT uses it: words of normal_text.h, each cut greedily into the
// longest pieces that the vocabulary has.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "data/text/normal_text.h"
#include "data/text/vocabulary.h"

namespace flyball {

/// A piece and the bytes of the text that it comes from.
struct Token {
  int64_t id = 0;
  uint32_t begin = 0, end = 0;
};

/// Memory of one thread, used again.
struct WordPieceScratch {
  WordSplitter splitter;
  std::string word;            ///< UTF-8
  std::vector<size_t> bounds;  ///< where its characters begin, and its end
};

/// Has no state: one serves all threads.
class WordPiece {
 public:
  explicit WordPiece(Vocabulary vocabulary) : vocabulary_(std::move(vocabulary)) {}
  const Vocabulary& vocabulary() const { return vocabulary_; }
  /// Replaces `tokens` by those of the text. A word that cannot be cut, or has more than 100
  /// characters, is one [UNK].
  void cut(std::string_view text, WordPieceScratch& scratch, std::vector<Token>& tokens) const;

 private:
  void cut_word(std::span<const NormalChar> word, WordPieceScratch& scratch,
                std::vector<Token>& tokens) const;

  Vocabulary vocabulary_;
};

using WordPiecePtr = std::shared_ptr<const WordPiece>;

}  // namespace flyball
