// The shapes of the digits, as a pen draws them.
#pragma once

#include <vector>

namespace flyball {

/// x to the right, y downwards, both about 0 to 1.
struct GlyphPoint {
  double x = 0, y = 0;
};
using GlyphStroke = std::vector<GlyphPoint>;  ///< a smooth curve through its points
using Glyph = std::vector<GlyphStroke>;       ///< corners are where one stroke ends on the next

/// The ways of writing a digit, 0 to 9.
const std::vector<Glyph>& glyphs(int digit);

}  // namespace flyball
