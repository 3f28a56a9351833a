// A training as a file: everything that what comes next depends on.
//
// The file: a line "FLYBALL CHECKPOINT 1", eight bytes with the length of the header (little
// endian), the header (JSON: facts, and name, type and shape of each tensor), the tensors one after
// the other in the order of the header, and eight bytes with the CRC-32 of all that.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "data/tensor.h"

namespace flyball {

/// A tensor with its numbers, row-major.
struct StoredTensor {
  std::string name;
  DType dtype = DType::float32;
  TensorShape shape;
  std::string bytes;
};

struct Checkpoint {
  std::map<std::string, std::string> facts;  ///< what it is of, and where it stands
  std::vector<StoredTensor> tensors;

  /// Null where there is none of that name.
  const StoredTensor* find(std::string_view name) const;
  /// Error: a fact of `own` is another one here, or is missing.
  Status agrees(const std::map<std::string, std::string>& own) const;
  /// A fact as a whole number from 0 on. Error: there is none.
  Result<int64_t> number(const std::string& fact) const;
};

/// Replaces the file in one step: it is always whole.
Status write_checkpoint(const std::filesystem::path& file, const Checkpoint& checkpoint);
/// Does it begin as one that read_checkpoint() takes? No more of it is read.
Status check_checkpoint_file(const std::filesystem::path& file);
/// Errors name the file: it cannot be read, is none, is of another version, was cut off or changed.
Result<Checkpoint> read_checkpoint(const std::filesystem::path& file);

/// The content of such a file, and back. Errors as above, without the file's name.
std::string encode_checkpoint(const Checkpoint& checkpoint);
Result<Checkpoint> decode_checkpoint(std::string_view content);

}  // namespace flyball
