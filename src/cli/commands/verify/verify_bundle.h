// What `flyball verify-board` leaves for others: the board's files as a tree, and what was found.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/json_fwd.h"
#include "device/verify/verification.h"

namespace flyball::cli {

struct Bundle {
  std::string folder{};                      ///< that everything in it lies in
  std::string bytes{};                       ///< .tar.gz
  size_t files = 0, links = 0;               ///< of the tree
  std::map<std::string, size_t> left_out{};  ///< how often each kind of secret was taken out
  std::vector<std::string> unread{};         ///< files that the tree lacks, with the reason
};

/// Records the tree, takes secrets out of it and of the documents, and archives all of it:
/// FOLDER/tree (what --root takes), verify.json, doctor.json, mode.json and README. Error: what the
/// library of archives refuses; a secret is left in it.
Result<Bundle> make_bundle(const std::filesystem::path& root, const Verification& verification);

/// {"file", "bytes", "files", "links", "left_out", "unread"}.
Json bundle_json(const Bundle& bundle, const std::string& file);

}  // namespace flyball::cli
