// Text as BERT's uncased networks see it (Devlin et al. 2018, the tokenizer that came with it):
// without control characters, in small letters, without accents, each Chinese character and each
// punctuation mark a word of its own. Character properties are ICU's.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace flyball {

/// One character of the text that was made, and the bytes of the original that it comes from.
struct NormalChar {
  char32_t value = 0;
  uint32_t begin = 0, end = 0;
};

/// Splits texts into words. Keeps its memory; one thread uses it.
class WordSplitter {
 public:
  using Words = std::function<void(std::span<const NormalChar> word)>;
  /// Calls `word` for each word in order. What is not UTF-8 is left out like a control character.
  /// Texts of up to 4 GiB.
  void split(std::string_view text, const Words& word);

 private:
  void end_chunk(const Words& word);
  void decompose();

  std::vector<NormalChar> chunk_, normal_;
  bool plain_ = true;  ///< the chunk is ASCII
};

}  // namespace flyball
