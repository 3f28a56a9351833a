// The pieces of words that a language model knows: vocab.txt of BERT (Devlin et al. 2018), one a
// line, whose number is the line's, from 0. "##ing" goes on a word, "ing" begins one.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "base/status.h"

namespace flyball {

/// Reads nothing after it is made: one serves all threads.
class Vocabulary {
 public:
  /// Errors name the line: empty, not UTF-8, in capitals (of a network that tells them from small
  /// letters); [PAD], [UNK], [CLS] or [SEP] missing. Of equal lines the last counts.
  static Result<Vocabulary> parse(std::string_view text, const std::string& name);
  static Result<Vocabulary> read(const std::filesystem::path& file);

  int64_t size() const { return size_; }
  /// The piece that begins a word, or that goes on one (without its ##); −1: there is none.
  int64_t begins(std::string_view piece) const { return find(begins_, piece); }
  int64_t goes_on(std::string_view piece) const { return find(goes_on_, piece); }
  /// Bytes of the longest piece, without ##.
  size_t longest() const { return longest_; }

  int64_t padding() const { return padding_; }      ///< [PAD]
  int64_t unknown() const { return unknown_; }      ///< [UNK]
  int64_t first() const { return first_; }          ///< [CLS]
  int64_t separator() const { return separator_; }  ///< [SEP]

 private:
  struct Hash {
    using is_transparent = void;
    size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };
  using Pieces = std::unordered_map<std::string, int64_t, Hash, std::equal_to<>>;

  static int64_t find(const Pieces& pieces, std::string_view piece) {
    const auto found = pieces.find(piece);
    return found == pieces.end() ? -1 : found->second;
  }
  Status take(std::string_view line, int64_t number);

  Pieces begins_, goes_on_;
  int64_t size_ = 0, padding_ = -1, unknown_ = -1, first_ = -1, separator_ = -1;
  size_t longest_ = 0;
};

}  // namespace flyball
