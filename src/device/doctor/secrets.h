// What a bundle for others must not hold, and how it is taken out of text.
//
// Files that hold secrets are not recorded at all (recorded_tree.h). What is recorded, and every
// answer beside it, passes through here as well. Two kinds of rules: values of this machine, which
// are looked up and taken out wherever they stand, and patterns.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/json_fwd.h"
#include "device/doctor/recorded_tree.h"

namespace flyball {

/// One kind of secret, as documents list it.
struct SecretKind {
  const char* name;   ///< "serial"; in its place stands "left-out-serial"
  const char* found;  ///< where its values are from, in words
};
/// The whole list: serial, machine-id, host, user, token (values); mac, address, uuid, home
/// (patterns).
const std::vector<SecretKind>& secret_kinds();

struct Secret {
  std::string kind;  ///< of secret_kinds()
  std::string value;
};

/// The values of the machine below `root`: serial numbers of board, disks and cards, machine-id,
/// host names, user names; and of this process its user, host and what its environment calls token,
/// key, secret or password. Values that say nothing ("0", "Default string") and names that boards
/// are delivered with ("nvidia", "ubuntu") are none.
std::vector<Secret> machine_secrets(const std::filesystem::path& root);

class Scrubber {
 public:
  explicit Scrubber(std::vector<Secret> secrets);

  /// What the text may be used for decides which names can stand there: those of hosts and users
  /// never stand in what the kernel says of hardware.
  enum class Source { hardware, other };
  /// The text with "left-out-KIND" in place of each secret.
  std::string text(std::string_view text, Source source = Source::other);
  /// Every text in the document, keys included.
  Json json(const Json& document);
  /// The content of every entry. An entry whose path or link holds a secret is dropped.
  std::vector<TreeEntry> tree(const std::vector<TreeEntry>& entries);
  /// How often each kind was taken out so far.
  const std::map<std::string, size_t>& left_out() const { return left_out_; }

 private:
  std::string without_values(std::string text, Source source);
  std::string without_patterns(std::string_view text);

  std::vector<Secret> secrets_;  ///< longest value first
  std::map<std::string, size_t> left_out_;
};

}  // namespace flyball
