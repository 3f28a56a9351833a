// Histories and shares as characters: eighths of blocks, or ASCII where the terminal has no UTF-8.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "monitor/canvas.h"

namespace flyball {

enum class Glyphs { blocks, ascii };

/// A bar of so many columns that shows a share of 0 to 1.
std::string bar(double share, int columns, Glyphs glyphs);
/// One character that shows a share: "▁" to "█", or "." to "#".
std::string share_glyph(double share, Glyphs glyphs);
/// A value a column, the newest at the right, over `rows` rows from `y` on; `most` is the full
/// height. A column without a value stays empty.
void draw_chart(Canvas& canvas, int x, int y, int rows,
                const std::vector<std::optional<double>>& values, double most, Glyphs glyphs,
                Ink ink);
/// A round number that is not below any of them: 1, 1.5, 2, 3, 5, 7, 10, 15, … ; 1 without any.
double round_above(const std::vector<std::optional<double>>& values);

}  // namespace flyball
