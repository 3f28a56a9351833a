// scripts/fuzz word_piece: a vocabulary, a zero byte, a text.
#include "data/text/word_piece.h"

#include <algorithm>
#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flyball;
  const std::string_view all(reinterpret_cast<const char*>(data), size);
  const size_t middle = std::min(all.find('\0'), size);
  const std::string_view text = all.substr(std::min(middle + 1, size));
  std::string lines = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n";
  auto vocabulary = Vocabulary::parse(lines.append(all.substr(0, middle)), "vocab.txt");
  if (!vocabulary.ok()) return 0;
  const WordPiece pieces(*std::move(vocabulary));
  WordPieceScratch scratch;
  std::vector<Token> tokens;
  pieces.cut(text, scratch, tokens);
  for (const Token& token : tokens)
    if (token.id < 0 || token.id >= pieces.vocabulary().size() || token.begin >= token.end ||
        token.end > text.size())
      std::abort();
  if (tokens.size() > 18 * text.size()) std::abort();
  return 0;
}
