// Watches a broker beside the thread that grants turns: what is drawn and who is late, window by
// window, and does what the BudgetKeeper says.
#pragma once

#include <atomic>
#include <condition_variable>
#include <mutex>
#include <thread>

#include "broker/broker.h"
#include "broker/budget_keeper.h"
#include "broker/mode_ladder.h"

namespace flyball {

struct TurnWatchOptions {
  double budget_w = 0;
  double window_s = 10;  ///< that is judged
  double beyond_s = 3;   ///< of it, after which power beyond the budget is enough
  double settle_s = 1;   ///< after a change, that no window counts
  double look_s = 0.2;   ///< how often it looks
  double lap_s = 1;      ///< for which power is read at a time
  size_t patience = 1;   ///< as KeeperOptions has it
};

class BrokerWatch {
 public:
  /// `held` null: modes stay as they are, and the ladder has one. All of it outlives this.
  BrokerWatch(Broker& broker, HeldMode* held, ModeLadder ladder, TurnWatchOptions options);
  ~BrokerWatch();
  BrokerWatch(const BrokerWatch&) = delete;
  BrokerWatch& operator=(const BrokerWatch&) = delete;

  /// From any thread: mean power of a stretch of time; NaN: not known.
  void told_power(int64_t begin_ns, int64_t end_ns, double watts);
  void start();
  void stop();

 private:
  void look(int64_t now_ns);
  void begin_window(int64_t now_ns);
  KeeperWindow seen(int64_t now_ns) const;
  void follow(const KeeperStep& step);
  void set_mode(size_t mode, const std::string& why);
  Status apply(size_t mode);

  Broker& broker_;
  HeldMode* held_;
  ModeLadder ladder_;
  TurnWatchOptions options_;
  BudgetKeeper keeper_;
  ServingResult before_;  ///< when the window began
  size_t comings_ = 0;
  int64_t settled_ns_ = 0;
  double longest_switch_s_ = 0.1;
  std::atomic<bool> switching_{false}, refused_{false};
  std::atomic<size_t> set_;  ///< mode of the ladder that the board is in

  std::mutex mutex_;
  std::condition_variable ended_;
  bool end_ = false;
  int64_t window_ns_ = 0;  ///< when it began
  double energy_j_ = 0, energy_s_ = 0;
  std::thread thread_;
};

}  // namespace flyball
