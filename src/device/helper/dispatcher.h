// What the helper does with a message: who has the board, and what is set on it. Knows nothing of
// sockets.
//
// One client at a time has the board; it is put back when that client gives it up or has gone. The
// Device behind it, which journals and locks as for any flyball that runs as root, is opened when a
// client takes the board and closed when it is free again: meanwhile another flyball of root may
// have it.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "device/device.h"
#include "device/helper/messages.h"

namespace flyball {

/// Who is at the other end, as the kernel says.
struct HelperPeer {
  int pid = 0;
  unsigned uid = 0, gid = 0;

  std::string text() const;  ///< "process 12 of user 1000 (group 1000)"
};

/// What the dispatcher does beside setting modes of a Device; one that is left out is refused.
struct HelperModes {
  /// Sets a preset, or every clock to its cap (`preset` and `pin_max` of a request).
  std::function<Status(Device&, const HelperRequest&)> set_caps{};
  /// Puts back what was before a mode was kept; how many settings.
  std::function<Result<size_t>()> restore_kept{};
  /// Notes who has kept a mode, and who that was: "" where none is kept.
  std::function<void(const std::string& who)> note_kept{};
  std::function<std::string()> kept{};
};

class HelperDispatcher {
 public:
  using Open = std::function<Result<std::unique_ptr<Device>>()>;
  using Log = std::function<void(const std::string&)>;

  /// `root`: of the files that Devices of `open` set.
  HelperDispatcher(Open open, std::filesystem::path root, Log log, HelperModes modes = {})
      : open_(std::move(open)),
        root_(std::move(root)),
        log_(std::move(log)),
        modes_(std::move(modes)) {}
  /// Puts back what is held.
  ~HelperDispatcher();
  HelperDispatcher(const HelperDispatcher&) = delete;
  HelperDispatcher& operator=(const HelperDispatcher&) = delete;

  /// Does what a line of a client asks, and is the reply.
  std::string answer(int client, const HelperPeer& peer, std::string_view line);
  /// The client has gone: what it had set is put back.
  void gone(int client);
  bool held() const { return hold_.has_value(); }

 private:
  struct Hold {
    int client;
    HelperPeer peer;
    std::string since_utc;
    std::unique_ptr<Device> device;
  };

  Result<HelperBoard> describe() const;
  Status act(int client, const HelperPeer& peer, const HelperRequest& request);
  Status claim(int client, const HelperPeer& peer);
  Status apply(const PowerMode& mode);
  Status set_caps(const HelperRequest& request);
  Status keep();
  Result<size_t> restore_kept(int client, const HelperPeer& peer);
  Error held_by_another() const;
  Status release(const std::string& why);
  std::string holder() const;
  bool holds(int client) const { return hold_ && hold_->client == client; }

  Open open_;
  std::filesystem::path root_;
  Log log_;
  HelperModes modes_;
  std::optional<Hold> hold_;
};

}  // namespace flyball
