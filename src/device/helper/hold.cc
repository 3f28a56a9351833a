#include "device/helper/hold.h"

#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <chrono>
#include <system_error>
#include <utility>

namespace flyball {
namespace {

namespace fs = std::filesystem;
using Kind = HelperRequest::Kind;

constexpr std::chrono::seconds alive_period{10};

}  // namespace

Result<std::unique_ptr<BoardHold>> BoardHold::claim(const fs::path& socket) {
  FLYBALL_ASSIGN(HelperLink link, HelperLink::connect(socket));
  FLYBALL_ASSIGN(const std::string reply, link.ask({Kind::claim}));
  FLYBALL_CHECK(parse_helper_done(reply));
  return std::unique_ptr<BoardHold>(new BoardHold(std::move(link)));
}

BoardHold::BoardHold(HelperLink link) : link_(std::move(link)), owner_(::getpid()) {
  sigset_t all, before;
  sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);  // signals are for the threads of the program
  heartbeat_ = std::thread([this] { beat(); });
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

BoardHold::~BoardHold() {
  if (owner_ != ::getpid()) {
    heartbeat_.detach();
    return;
  }
  {
    const std::lock_guard lock(mutex_);
    ending_ = true;
  }
  wake_.notify_all();
  heartbeat_.join();
}

Status BoardHold::ask(const HelperRequest& request) {
  const std::lock_guard lock(mutex_);
  return ask_now(request);
}

bool BoardHold::lost() {
  const std::lock_guard lock(mutex_);
  return lost_.has_value();
}

Status BoardHold::ask_now(const HelperRequest& request) {
  if (lost_) return *lost_;
  const auto reply = link_.ask(request);
  if (reply) return parse_helper_done(*reply);
  lost_ = reply.error();
  return *lost_;
}

void BoardHold::beat() {
  std::unique_lock lock(mutex_);
  while (!wake_.wait_for(lock, alive_period, [this] { return ending_; }))
    (void)ask_now({Kind::alive});
}

Result<HelperBoard> ask_helper(const fs::path& root, const fs::path& socket) {
  FLYBALL_ASSIGN(HelperLink link, HelperLink::connect(socket));
  FLYBALL_ASSIGN(const std::string reply, link.ask({Kind::describe}));
  FLYBALL_ASSIGN(HelperBoard board, parse_helper_board(reply));
  std::error_code unknown;
  if (board.root == fs::weakly_canonical(root, unknown)) return board;
  return Error{Code::unavailable,
               fmt::format("the flyball helper at {} sets the board below {}", socket.string(),
                           board.root.string()),
               "name another one with FLYBALL_HELPER"};
}

Result<size_t> restore_kept_by_helper(const fs::path& socket) {
  FLYBALL_ASSIGN(HelperLink link, HelperLink::connect(socket));
  FLYBALL_ASSIGN(const std::string reply, link.ask({Kind::restore_kept}));
  return parse_helper_restored(reply);
}

}  // namespace flyball
