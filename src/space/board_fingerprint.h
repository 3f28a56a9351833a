// Which board a measurement was made on, and where on it a network computed.
#pragma once

#include <string>

namespace flyball {

/// What a `fingerprint` says; it is kept, compared and shown as text().
struct BoardFingerprint {
  std::string board;      ///< board, cores, kernel, driver; of a table its content
  std::string compute{};  ///< "cpu", "cuda:0"; "" where the board leaves no choice
  std::string gpu{};      ///< model and driver of the GPU that was named; "" where none was

  static BoardFingerprint parse(const std::string& text);
  std::string text() const;
};

/// Was a trial of this fingerprint made on the board of that one, wherever its network computed?
bool same_board(const std::string& of_trial, const std::string& of_board);

}  // namespace flyball
