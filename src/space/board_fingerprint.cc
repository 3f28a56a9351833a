#include "space/board_fingerprint.h"

#include <fmt/format.h>

#include <string_view>

namespace flyball {
namespace {

constexpr std::string_view before_compute = "; network on ";
constexpr std::string_view before_gpu = "; GPU ";
constexpr std::string_view of_twin = "twin of ", before_number = ", board ";

// Cuts `text` before `separator` and returns what stands behind it.
std::string cut(std::string& text, std::string_view separator) {
  const size_t at = text.find(separator);
  if (at == std::string::npos) return "";
  const std::string behind = text.substr(at + separator.size());
  text.resize(at);
  return behind;
}

}  // namespace

BoardFingerprint BoardFingerprint::parse(const std::string& text) {
  BoardFingerprint parsed{.board = text};
  parsed.compute = cut(parsed.board, before_compute);
  parsed.gpu = cut(parsed.compute, before_gpu);
  return parsed;
}

std::string BoardFingerprint::text() const {
  std::string text = board;
  if (!compute.empty()) text.append(before_compute).append(compute);
  if (!gpu.empty()) text.append(before_gpu).append(gpu);
  return text;
}

bool same_board(const std::string& of_trial, const std::string& of_board) {
  return of_trial == of_board || BoardFingerprint::parse(of_trial).board == of_board;
}

std::string individual_fingerprint(const std::string& of_kind, uint64_t number,
                                   uint64_t constants) {
  return fmt::format("{}{}{} of constants {:016x}", of_kind, before_number, number, constants);
}

std::string make_of(const std::string& fingerprint) {
  std::string make = fingerprint;
  if (make.starts_with(of_twin)) cut(make, before_number);
  return make;
}

std::string individual_of(const std::string& fingerprint) {
  std::string make = fingerprint;
  std::string number = make.starts_with(of_twin) ? cut(make, before_number) : "";
  cut(number, " of ");
  return number.empty() ? "" : "board " + number;
}

}  // namespace flyball
