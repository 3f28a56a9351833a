// A screen as cells, drawn before any terminal sees it: the same for ncurses, for text and for
// tests.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace flyball {

/// Told apart by weight and by words as well: no meaning hangs on a colour alone.
enum class Ink { plain, dim, bold, title, accent, warning };

struct Cell {
  char32_t glyph = U' ';
  Ink ink = Ink::plain;
};

class Canvas {
 public:
  Canvas(int width, int height);
  int width() const { return width_; }
  int height() const { return height_; }
  /// UTF-8 of one column a character, cut at `end` (0: the right edge); what lies outside is left
  /// out. Control characters become '?'. Returns the column behind it.
  int put(int x, int y, std::string_view text, Ink ink = Ink::plain, int end = 0);
  /// So that it ends in column `end`, which is outside.
  void put_right(int end, int y, std::string_view text, Ink ink = Ink::plain);
  void fill(int x, int y, int columns, Ink ink);
  const Cell& at(int x, int y) const { return cells_[index(x, y)]; }
  /// Line by line, without blanks at their ends.
  std::string text() const;

 private:
  size_t index(int x, int y) const {
    return static_cast<size_t>(y) * static_cast<size_t>(width_) + static_cast<size_t>(x);
  }
  int width_, height_;
  std::vector<Cell> cells_;
};

/// Columns that UTF-8 text of one column a character takes.
int columns_of(std::string_view text);
/// One line of a canvas in UTF-8.
std::string utf8(char32_t glyph);

}  // namespace flyball
