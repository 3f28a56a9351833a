#include "monitor/canvas.h"

#include <algorithm>

namespace flyball {
namespace {

// The next code point; what is no UTF-8 is '?', byte by byte.
char32_t next_glyph(std::string_view& text) {
  const auto lead = static_cast<unsigned char>(text.front());
  const size_t length = lead < 0x80 ? 1 : lead >> 5 == 6 ? 2 : lead >> 4 == 14 ? 3 : 1;
  char32_t glyph = lead;
  bool fine = lead < 0x80 || (length > 1 && text.size() >= length);
  if (fine && length > 1) {
    glyph = lead & (0xff >> (length + 1));
    for (size_t i = 1; i < length; ++i) {
      const auto byte = static_cast<unsigned char>(text[i]);
      fine &= byte >> 6 == 2;
      glyph = glyph << 6 | (byte & 0x3f);
    }
  }
  text.remove_prefix(fine ? length : 1);
  return fine && glyph >= 0x20 && glyph != 0x7f && !(glyph >= 0x80 && glyph < 0xa0) ? glyph : U'?';
}

}  // namespace

Canvas::Canvas(int width, int height)
    : width_(std::max(width, 1)),
      height_(std::max(height, 1)),
      cells_(static_cast<size_t>(width_) * static_cast<size_t>(height_)) {}

int Canvas::put(int x, int y, std::string_view text, Ink ink, int end) {
  const int edge = end > 0 ? std::min(end, width_) : width_;
  while (!text.empty()) {
    const char32_t glyph = next_glyph(text);
    if (x >= edge) break;
    if (x >= 0 && y >= 0 && y < height_) cells_[index(x, y)] = {glyph, ink};
    ++x;
  }
  return x;
}

void Canvas::put_right(int end, int y, std::string_view text, Ink ink) {
  put(end - columns_of(text), y, text, ink, end);
}

void Canvas::fill(int x, int y, int columns, Ink ink) {
  for (int i = std::max(x, 0); i < std::min(x + columns, width_) && y >= 0 && y < height_; ++i)
    cells_[index(i, y)] = {U' ', ink};
}

std::string Canvas::text() const {
  std::string all;
  for (int y = 0; y < height_; ++y) {
    std::string line;
    for (int x = 0; x < width_; ++x) line += utf8(at(x, y).glyph);
    line.erase(line.find_last_not_of(' ') + 1);
    all += line + '\n';
  }
  return all;
}

int columns_of(std::string_view text) {
  int columns = 0;
  for (; !text.empty(); ++columns) (void)next_glyph(text);
  return columns;
}

std::string utf8(char32_t glyph) {
  std::string text;
  if (glyph < 0x80) {
    text += static_cast<char>(glyph);
  } else if (glyph < 0x800) {
    text += static_cast<char>(0xc0 | glyph >> 6);
    text += static_cast<char>(0x80 | (glyph & 0x3f));
  } else {
    text += static_cast<char>(0xe0 | (glyph >> 12 & 0xf));
    text += static_cast<char>(0x80 | (glyph >> 6 & 0x3f));
    text += static_cast<char>(0x80 | (glyph & 0x3f));
  }
  return text;
}

}  // namespace flyball
