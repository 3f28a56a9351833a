// Tells whether a file, or any content, is still what was measured.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace flyball {

struct FileStamp {
  int64_t bytes = 0;
  int64_t changed_ns = 0;  ///< of the content, since 1970 in UTC
};
/// Nothing when there is no such file or folder.
std::optional<FileStamp> file_stamp(const std::filesystem::path& path);

/// "120 bytes of 2026-03-01T12:30:05.250Z": equal while the file is not changed; "" when there is
/// none.
std::string file_version(const std::filesystem::path& path);
/// "3 with 360 bytes of 2026-03-01T12:30:05.250Z (1f0c2a3b)": the time is that of the latest
/// change, the checksum one over every file's name, size and time. Files that are not there count,
/// too.
std::string files_version(std::span<const std::filesystem::path> files);

/// FNV-1a: a name for equal contents, no protection against forged ones. What was stored under such
/// a hash is found again by it: neither constants nor order may change.
template <class Word, Word offset, Word prime>
class Fnv1a {
 public:
  void mix(std::string_view bytes) {
    for (const char byte : bytes) mix_word(static_cast<unsigned char>(byte));
  }
  /// A whole word in one step.
  void mix_word(Word word) { hash_ = (hash_ ^ word) * prime; }
  Word value() const { return hash_; }

 private:
  Word hash_ = offset;
};

using ContentHash = Fnv1a<uint64_t, 0xcbf29ce484222325u, 0x100000001b3u>;
using ContentHash32 = Fnv1a<uint32_t, 0x811c9dc5u, 0x1000193u>;

inline uint64_t content_hash(std::string_view bytes) {
  ContentHash hash;
  hash.mix(bytes);
  return hash.value();
}

}  // namespace flyball
