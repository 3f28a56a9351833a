// Drawn text in WikiText's format.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "base/status.h"

namespace flyball {

/// Rises when other text is drawn.
inline constexpr int kTextVersion = 1;

/// Text of so many words (line ends count): articles of a heading and paragraphs of sentences.
/// Words come as often as Zipf has it (of `lexicon` many), and three in four are one of four that
/// like to follow the word before: there is something to learn.
std::string draw_text(uint64_t seed, uint64_t part, int64_t words, int64_t lexicon);

/// wiki.train.tokens of `samples` × 35 words, and a tenth of that each in wiki.valid.tokens and
/// wiki.test.tokens.
Status make_wikitext(int64_t samples, const std::filesystem::path& out, uint64_t seed);

}  // namespace flyball
