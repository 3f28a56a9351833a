#include "space/board_fingerprint.h"

#include <string_view>

namespace flyball {
namespace {

constexpr std::string_view before_compute = "; network on ";
constexpr std::string_view before_gpu = "; GPU ";

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

}  // namespace flyball
