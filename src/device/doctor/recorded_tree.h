// The files that Flyball reads of a board, recorded as a tree that `--root` takes.
//
// Only files of a fixed list are recorded (recorded_patterns()). Links stay links, relative to
// where they lie, so that the tree is the same wherever it is unpacked.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"
#include "boards/spec.h"

namespace flyball {

struct TreeEntry {
  enum class Kind { file, link };
  Kind kind = Kind::file;
  std::string path;     ///< below the root: "sys/devices/…"
  std::string content;  ///< of a file; where a link points to
};

struct RecordedTree {
  std::vector<TreeEntry> entries;  ///< by path, each once
  std::vector<Error> unread;       ///< files of the list that are there and do not read

  const TreeEntry* find(const std::string& path) const;
};

/// Largest file that is recorded; of larger ones `unread` says so.
inline constexpr size_t recorded_file_bytes = size_t{1} << 20;

/// What is recorded, below the root; "*" stands for any part of one name. `board`: also the files
/// that only this kind of board has; may be null.
std::vector<std::string> recorded_patterns(const BoardSpec* board);

/// Records what is there. Never fails: what does not read is in `unread`.
RecordedTree record_tree(const std::filesystem::path& root, const BoardSpec* board);

}  // namespace flyball
