#include "telemetry/marks/window.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <mutex>
#include <utility>

#include "base/clock.h"
#include "telemetry/marks/marks.h"
#include "telemetry/sampling/sampler.h"
#include "telemetry/sensors/power_sensors.h"

namespace flyball {
namespace {

std::mutex synchronize_mutex;
std::function<void()> process_synchronize;

std::function<void()> synchronize_of(const WindowOptions& options) {
  if (options.synchronize) return options.synchronize;
  const std::lock_guard lock(synchronize_mutex);
  return process_synchronize;
}

}  // namespace

struct EnergyMonitor::State {
  std::mutex mutex;
  std::unique_ptr<Sampler> sampler;
  pid_t owner = 0;
};

EnergyMonitor::EnergyMonitor(SensorList sensors, Seconds interval)
    : sensors_(std::move(sensors)), interval_(interval), state_(std::make_unique<State>()) {}

EnergyMonitor::~EnergyMonitor() = default;

EnergyMonitor& EnergyMonitor::shared() {
  // Never destroyed: its threads would be joined in forked children, which do not have them.
  static auto* monitor = new EnergyMonitor(open_power_sensors());
  return *monitor;
}

Status EnergyMonitor::start() {
  const std::lock_guard lock(state_->mutex);
  if (!measures_power(sensors_)) {
    const Error none{Code::unavailable, power_gap(sensors_), ""};
    return sensors_.gaps.size() == 1 ? sensors_.gaps.front() : none;
  }
  if (state_->sampler && state_->owner != ::getpid())
    return Error{Code::unavailable, "energy windows do not work in a forked child",
                 "begin them in the process that measures, or start the child afresh (spawn)"};
  if (state_->sampler) return {};
  auto sampler = std::make_unique<Sampler>();
  for (const SensorPtr& sensor : sensors_.sensors) FLYBALL_CHECK(sampler->add(sensor, interval_));
  FLYBALL_CHECK(sampler->start());
  state_->sampler = std::move(sampler);
  state_->owner = ::getpid();
  return {};
}

int64_t EnergyMonitor::sample_now() {
  state_->sampler->sample_now();
  return monotonic_ns();
}

Result<std::vector<std::pair<std::string, EnergyWindow>>> EnergyMonitor::between(
    int64_t begin_ns, int64_t end_ns) const {
  const std::vector<Trace> traces = state_->sampler->traces(begin_ns, end_ns);
  std::vector<std::pair<std::string, EnergyWindow>> energies;
  Status failed;  // the first that did
  const auto add = [&](const std::string& name, const Result<EnergyWindow>& window) {
    if (window)
      energies.emplace_back(name, *window);
    else if (failed.ok())
      failed = window.error();
  };
  for (const std::string& total : totals_of(traces))
    add(total, total_between(traces, total, begin_ns, end_ns));
  for (const Trace& trace : traces) {
    const SensorKind kind = trace.info.kind;
    if (!trace.info.total.empty() ||
        (kind != SensorKind::power && kind != SensorKind::energy_counter))
      continue;
    add(trace.info.name, energy_between(trace, begin_ns, end_ns));
  }
  if (energies.empty()) FLYBALL_CHECK(failed);
  return energies;
}

void set_window_synchronize(std::function<void()> synchronize) {
  const std::lock_guard lock(synchronize_mutex);
  process_synchronize = std::move(synchronize);
}

void synchronize_for_window() {
  if (const auto synchronize = synchronize_of({})) synchronize();
}

// The windows that a thread has open, in the order of their beginning.
struct Window::OpenWindows {
  std::mutex mutex;  // one may end on another thread
  std::vector<const Window*> windows;

  static const std::shared_ptr<OpenWindows>& of_this_thread() {
    thread_local const auto open = std::make_shared<OpenWindows>();
    return open;
  }
};

Window::Window(const std::string& name, WindowOptions options)
    : siblings_(OpenWindows::of_this_thread()),
      name_(name),
      options_(std::move(options)),
      monitor_(options_.monitor != nullptr ? *options_.monitor : EnergyMonitor::shared()),
      started_(monitor_.start()) {
  {
    const std::lock_guard lock(siblings_->mutex);
    if (!siblings_->windows.empty()) name_ = siblings_->windows.back()->name_ + "/" + name;
    siblings_->windows.push_back(this);
  }
  static std::atomic<int64_t> windows{0};
  number_ = windows++;
  if (const auto synchronize = synchronize_of(options_)) synchronize();
  begin_ns_ = started_.ok() ? monitor_.sample_now() : monotonic_ns();
  marks::write(MarkKind::window_begin, number_, -1, name_.c_str());
}

Window::~Window() {
  cancel();
}

void Window::close() {
  if (!std::exchange(open_, false)) return;
  const std::lock_guard lock(siblings_->mutex);
  std::erase(siblings_->windows, this);
}

void Window::cancel() {
  close();
}

Result<WindowEnergy> Window::end() {
  if (!open_) return Error{Code::invalid_argument, "window '" + name_ + "' has ended already", ""};
  close();
  if (const auto synchronize = synchronize_of(options_)) synchronize();
  const int64_t end_ns = monotonic_ns();
  marks::write(MarkKind::window_end, number_, -1, name_.c_str());
  FLYBALL_CHECK(started_);
  monitor_.sample_now();
  WindowEnergy energy{name_, static_cast<double>(end_ns - begin_ns_) * 1e-9, {}};
  FLYBALL_ASSIGN(energy.totals, monitor_.between(begin_ns_, end_ns));
  return energy;
}

}  // namespace flyball
