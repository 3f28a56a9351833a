// Energy of a piece of one's own code: begin a window, end it, read joules.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/status.h"
#include "base/units.h"
#include "telemetry/sampling/energy.h"
#include "telemetry/sensors/sensor.h"

namespace flyball {

class Sampler;

/// Samples power for all windows of a process. Sampling starts with the first window.
class EnergyMonitor {
 public:
  explicit EnergyMonitor(SensorList sensors, Seconds interval = {0.01});
  ~EnergyMonitor();
  EnergyMonitor(const EnergyMonitor&) = delete;
  EnergyMonitor& operator=(const EnergyMonitor&) = delete;

  /// The machine's own sensors; lives until the process ends.
  static EnergyMonitor& shared();
  /// Starts sampling when it does not run yet. Error `unavailable`: no sensor, or a forked child
  /// (threads do not survive a fork).
  Status start();
  /// Energy between two monotonic times, of every total and of every sensor without one.
  Result<std::vector<std::pair<std::string, EnergyWindow>>> between(int64_t begin_ns,
                                                                    int64_t end_ns) const;
  /// Takes a sample of everything now, and returns the time after it.
  int64_t sample_now();
  const SensorList& sensors() const { return sensors_; }

 private:
  SensorList sensors_;
  Seconds interval_;
  struct State;
  std::unique_ptr<State> state_;
};

/// What a window cost.
struct WindowEnergy {
  std::string name;  ///< with the names of the windows around it: "epoch/validation"
  double seconds = 0;
  std::vector<std::pair<std::string, EnergyWindow>> totals;  ///< e.g. {"gpu", …}
};

struct WindowOptions {
  /// Called before the window begins and before it ends, so that work which was only queued (CUDA
  /// kernels) is inside. Null: the process-wide one of set_window_synchronize(), if any.
  std::function<void()> synchronize{};
  EnergyMonitor* monitor = nullptr;  ///< null: EnergyMonitor::shared()
};

/// What windows without a function of their own call, e.g. torch::cuda::synchronize; null for none.
void set_window_synchronize(std::function<void()> synchronize);
/// Calls it, where there is one.
void synchronize_for_window();

/// A window over the code between its construction and end(). Windows nest: one that begins while
/// another of the same thread is open carries the name of the innermost such one in front. They may
/// end in any order, and on any thread. Dropping a window without end() cancels it. Whoever
/// profiles the program (marks.h) is told of both ends.
class Window {
 public:
  explicit Window(const std::string& name, WindowOptions options = {});
  ~Window();
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// Ends the window. Errors: power is not available (with the remedy); it had ended or was
  /// cancelled already.
  Result<WindowEnergy> end();
  /// Forgets the window.
  void cancel();
  const std::string& name() const { return name_; }

 private:
  void close();

  struct OpenWindows;

  std::shared_ptr<OpenWindows> siblings_;  ///< those that the thread of its beginning has open
  std::string name_;
  WindowOptions options_;
  EnergyMonitor& monitor_;
  Status started_;
  bool open_ = true;
  int64_t number_ = 0, begin_ns_ = 0;
};

}  // namespace flyball
