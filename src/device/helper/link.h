// A client's connection to the helper: one line there, one line back.
#pragma once

#include <filesystem>
#include <string>
#include <utility>

#include "base/status.h"
#include "device/helper/messages.h"

namespace flyball {

inline constexpr const char* helper_group = "flyball";  ///< whose members may use the helper

/// Where the helper listens: $FLYBALL_HELPER, else /run/flyball-helper.sock.
std::filesystem::path helper_socket();

/// What a user can do who may not set the board, as things are: "run as root, or …".
std::string rights_remedy(const std::filesystem::path& socket = helper_socket());

class HelperLink {
 public:
  /// Errors, each with its remedy: no helper (`not_found`), nobody answers (`unavailable`), this
  /// user is not in the group (`permission`).
  static Result<HelperLink> connect(const std::filesystem::path& socket);
  HelperLink(HelperLink&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), buffer_(std::move(other.buffer_)) {}
  HelperLink& operator=(HelperLink&&) = delete;
  ~HelperLink();

  /// Sends a request and waits for its reply, 30 s at most. Error `unavailable`: the helper has
  /// gone, or does not answer.
  Result<std::string> ask(const HelperRequest& request);

 private:
  explicit HelperLink(int socket) : socket_(socket) {}

  int socket_;
  LineBuffer buffer_{helper_reply_bytes};
};

}  // namespace flyball
