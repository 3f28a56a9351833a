// Which board a measurement was made on, and where on it a network computed.
#pragma once

#include <cstdint>
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

/// Of a simulated board with a number, `of_kind` being the fingerprint of its kind.
std::string individual_fingerprint(const std::string& of_kind, uint64_t number, uint64_t constants);
/// What boards that are compared have in common: of a simulated board with a number, the
/// fingerprint of its kind; of any other its own.
std::string make_of(const std::string& fingerprint);
/// "board 17" of a simulated board with a number; "" of any other.
std::string individual_of(const std::string& fingerprint);

}  // namespace flyball
