// A broker in a thread, and clients of it in this process, at pairs of sockets.
#pragma once

#include <sys/socket.h>

#include <atomic>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/clock_testing.h"
#include "broker/broker.h"
#include "flyball/flyball_turn.h"

namespace flyball {

/// One end of a pair whose other end the broker has.
class PairedClient {
 public:
  PairedClient(Broker& broker, std::string name, double latency_s = 0, double share = 1)
      : name_(std::move(name)) {
    int ends[2] = {-1, -1};
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return;
    broker.adopt(OwnedSocket(ends[0]));
    turns_ = flyball_turns_init();
    turns_.socket = "a pair";
    turns_.name = name_.c_str();
    turns_.latency_s = latency_s;
    turns_.share = share;
    turns_.fd = ends[1];
    turns_.pid = ::getpid();
  }
  PairedClient(const PairedClient&) = delete;
  PairedClient& operator=(const PairedClient&) = delete;
  ~PairedClient() { leave(); }

  bool greet() { return flyball_turn_greet_(&turns_) == 0; }
  bool begin() { return flyball_turn_begin(&turns_) == 1; }
  void end(int64_t waited_ns = 0) { flyball_turn_end_waited(&turns_, waited_ns); }
  void leave() { flyball_turns_close(&turns_); }
  void ask() { (void)flyball_turn_say_(&turns_, "ask"); }
  bool hear(const char* expected) { return flyball_turn_hear_(&turns_, expected) == 0; }
  const char* refusal() const { return flyball_turns_refusal(&turns_); }
  void say(const std::string& text) { (void)flyball_turn_say_(&turns_, text.c_str()); }
  /// Has the broker said something that was not heard yet?
  bool is_answered() const {
    pollfd one{turns_.fd, POLLIN, 0};
    return ::poll(&one, 1, 0) > 0;
  }

 private:
  std::string name_;
  flyball_turns turns_{};
};

/// Runs from start() until it is stopped.
class RunningBroker {
 public:
  explicit RunningBroker(BrokerOptions options = {}, TurnSockets sockets = {}) {
    options.stop = &stop_;
    options.tell = [this](const std::string& line) { told_.push_back(line); };
    broker_ = std::make_unique<Broker>(std::move(sockets), options);
  }
  ~RunningBroker() { stop(); }
  Broker& operator*() { return *broker_; }
  void start() {
    thread_ = std::thread([this] { broker_->run(); });
  }
  /// What came of it.
  BrokerResult stop() {
    stop_ = true;
    if (thread_.joinable()) thread_.join();
    return broker_->result();
  }
  /// Once it has stopped.
  const std::vector<std::string>& told() const { return told_; }

 private:
  std::atomic<bool> stop_{false};
  std::vector<std::string> told_;
  std::unique_ptr<Broker> broker_;
  std::thread thread_;
};

inline void pass_ms(int64_t ms) {
  std::this_thread::sleep_for(std::chrono::milliseconds(ms));
}

inline const TurnClientResult& client_named(const BrokerResult& result, const std::string& name) {
  for (const TurnClientResult& client : result.clients)
    if (client.role.name == name) return client;
  static const TurnClientResult none;
  return none;
}

}  // namespace flyball
