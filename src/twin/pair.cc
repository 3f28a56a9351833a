// Two roles on one board: as events of both.
#include <algorithm>
#include <cmath>
#include <limits>

#include "twin/plan.h"
#include "twin/stream.h"
#include "twin/twin.h"

namespace flyball {
namespace {

/// A role as it runs: its stream, and what of it goes on now.
struct Role {
  TwinStream stream;
  double gpu_share = 0;  ///< of the time that it runs alone
  double left_s = 0;     ///< of the minibatch that runs, as if it ran alone
  double alone_s = 0;
  double began_s = 0;
  TwinMinibatch alone{};
  TwinRun run{};

  double power_w(const TwinBoard& board) const { return twin_power(board, alone.rail_w).monitor_w; }
};

/// A minibatch of `role` begins at `now`; it would take alone_s alone. Its loader went on while the
/// other role had the GPU.
void begin(Role& role, double now) {
  role.alone = role.stream.next(now);
  role.alone_s = role.left_s = role.alone.e2e_ms() * 1e-3;
  role.began_s = now;
}

/// It ended at `now`: what was drawn while it ran is told by `rail_w`.
void end(Role& role, double now, const TwinRailPower& rail_w) {
  TwinMinibatch done = role.alone;
  const double stretch = role.alone_s > 0 ? (now - role.began_s) / role.alone_s : 1;
  done.begin_s = role.began_s;
  done.end_s = now;
  done.ready_s = role.began_s + role.alone.stall_ms() * 1e-3 * stretch;
  done.compute_ms = (now - done.ready_s) * 1e3;
  done.rail_w = rail_w;
  role.run.minibatches.push_back(done);
}

constexpr size_t cold_minibatches = 2;

class Pair {
 public:
  Pair(const TwinBoard& board, Role train, Role serve, const TwinPower& idle, double batch,
       const TwinPairOptions& options)
      : board_(board),
        train_(std::move(train)),
        serve_(std::move(serve)),
        idle_(idle),
        batch_(batch),
        options_(options) {}

  TwinPairRun run() {
    if (options_.sharing == TwinSharing::interleaved) {
      interleave();
    } else {
      share();
    }
    return finish();
  }

 private:
  /// When the last request of the n-th served batch arrives, from 0.
  double due_s(size_t n) const {
    return batch_ * static_cast<double>(n + 1) / options_.arrival_per_s;
  }
  double first_s(size_t n) const {
    return (batch_ * static_cast<double>(n) + 1) / options_.arrival_per_s;
  }

  void spend(double seconds, const TwinRailPower& rail_w) {
    for (size_t rail = 0; rail < rail_w.size(); ++rail) energy_j_[rail] += rail_w[rail] * seconds;
    const TwinPower power = twin_power(board_, rail_w);
    if (seconds > 0 && power.monitor_w > peak_.monitor_w) peak_ = power;
    now_ += seconds;
  }

  void whole(Role& role) {
    begin(role, now_);
    spend(role.alone_s, role.alone.rail_w);
    end(role, now_, role.alone.rail_w);
  }

  void served() { latency_ms_.push_back((now_ - first_s(served_++)) * 1e3); }

  /// A training minibatch runs where one fits before the next batch of requests is complete.
  void interleave() {
    // The first ones are cold: they would be expected never to fit again, and so never run again.
    double expected_train_s = 0;
    size_t trained = 0;
    while (now_ < options_.seconds) {
      const double due = due_s(served_);
      if (now_ >= due) {
        whole(serve_);
        served();
      } else if (now_ + expected_train_s <= due) {
        whole(train_);
        const double took = train_.alone_s;
        if (++trained <= cold_minibatches) continue;
        expected_train_s = expected_train_s > 0 ? 0.8 * expected_train_s + 0.2 * took : took;
      } else {
        spend(std::min(due, options_.seconds) - now_, idle_.rail_w);
      }
    }
  }

  /// Both run when they like. Together they get on as far as the GPU, which slices its time, lets
  /// them; what each draws beyond rest adds up.
  void share() {
    begin(train_, 0);
    bool serving = false;
    while (now_ < options_.seconds) {
      if (!serving && now_ >= due_s(served_)) {
        begin(serve_, now_);
        serving = true;
      }
      const double slow = serving ? std::max(1.0, train_.gpu_share + serve_.gpu_share) : 1;
      double step = train_.left_s * slow;
      step = std::min(step, serving ? serve_.left_s * slow : due_s(served_) - now_);
      step = std::max(step, 0.0);
      TwinRailPower rail_w = train_.alone.rail_w;
      for (size_t rail = 0; serving && rail < rail_w.size(); ++rail)
        rail_w[rail] =
            idle_.rail_w[rail] +
            (train_.alone.rail_w[rail] + serve_.alone.rail_w[rail] - 2 * idle_.rail_w[rail]) / slow;
      spend(step, rail_w);
      train_.left_s -= step / slow;
      if (serving) serve_.left_s -= step / slow;
      if (serving && serve_.left_s <= 1e-12) {
        end(serve_, now_, rail_w);
        served();
        serving = false;
      }
      if (train_.left_s <= 1e-12) {
        end(train_, now_, rail_w);
        begin(train_, now_);
      }
    }
  }

  TwinPairRun finish() {
    TwinPairRun result;
    TwinRailPower mean{};
    for (size_t rail = 0; rail < mean.size(); ++rail)
      mean[rail] = now_ > 0 ? energy_j_[rail] / now_ : 0;
    result.power = twin_power(board_, mean);
    result.peak = peak_;
    result.latency_ms = std::move(latency_ms_);
    result.train_per_s = now_ > 0 ? static_cast<double>(train_.run.minibatches.size()) / now_ : 0;
    // The batch that came in the last window may still be served in time.
    const double window_s = batch_ / options_.arrival_per_s;
    const double come = std::floor(std::max(0.0, now_ - window_s) * options_.arrival_per_s);
    result.late = std::max(0.0, come - static_cast<double>(served_) * batch_ - (batch_ - 1));
    for (Role* role : {&train_, &serve_}) {
      role->run.power = role->stream.power();
      role->run.use = role->stream.use();
      role->run.cached = role->stream.cached();
    }
    result.train = std::move(train_.run);
    result.serve = std::move(serve_.run);
    return result;
  }

  const TwinBoard& board_;
  Role train_, serve_;
  TwinPower idle_;
  double batch_;
  TwinPairOptions options_;
  double now_ = 0;
  TwinPower peak_;
  size_t served_ = 0;
  TwinRailPower energy_j_{};
  std::vector<double> latency_ms_;
};

}  // namespace

Result<TwinPairRun> simulate_pair(const Twin& train, const TwinConfiguration& training,
                                  const Twin& serve, const TwinConfiguration& serving,
                                  const TwinPairOptions& options) {
  if (train.board().id != serve.board().id || !(training.mode == serving.mode))
    return Error{Code::invalid_argument, "two roles share one board in one power mode", ""};
  if (!(options.arrival_per_s > 0) || !(options.seconds > 0) || options.seconds > 1e6)
    return Error{Code::invalid_argument, "requests need a rate and a time above 0", ""};
  TwinOptions one{0, options.seed, options.noise};
  FLYBALL_ASSIGN(TwinStream train_stream, train.stream(training, one));
  one.seed = mix_seed(options.seed, 1);
  FLYBALL_ASSIGN(TwinStream serve_stream, serve.stream(serving, one));
  // What is left beside one process is left beside two less LibTorch once more.
  const BoardCapacity& capacity = train.board().capacity;
  if (train.memory(training).needed_bytes + serve.memory(serving).needed_bytes >
      capacity.left_bytes() - capacity.libtorch_bytes)
    return Error{Code::infeasible,
                 train.workload().name + " and " + serve.workload().name +
                     " together need more memory than " + train.board().id + " leaves them",
                 "smaller batch sizes need less"};
  FLYBALL_ASSIGN(const Twin::Steady a, train.steady(training));
  FLYBALL_ASSIGN(const Twin::Steady b, serve.steady(serving));
  FLYBALL_ASSIGN(const TwinPower idle, idle_power(train.board(), training.mode));
  Role trainer{std::move(train_stream), a.use.gpu};
  Role server{std::move(serve_stream), b.use.gpu};
  return Pair(train.board(), std::move(trainer), std::move(server), idle, serving.batch_size,
              options)
      .run();
}

}  // namespace flyball
