#include "telemetry/sampling/sampler.h"

#include <fmt/format.h>
#include <poll.h>
#include <pthread.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <limits>
#include <map>
#include <mutex>
#include <thread>

#include "base/clock.h"
#include "telemetry/sampling/lateness.h"
#include "telemetry/sampling/thread_time.h"

namespace flyball {
namespace {

constexpr size_t kMaxKept = size_t{4} << 20;
constexpr size_t kMoreAround = 256;

// Waits until the absolute time, or until `wake` becomes readable (then true, however late it is).
bool wait_until(int64_t deadline_ns, int wake) {
  while (true) {
    const int64_t left = std::max<int64_t>(deadline_ns - monotonic_ns(), 0);
    const timespec timeout{static_cast<time_t>(left / 1'000'000'000),
                           static_cast<long>(left % 1'000'000'000)};
    pollfd ready{wake, POLLIN, 0};
    if (::ppoll(&ready, 1, &timeout, nullptr) > 0) return true;
    if (monotonic_ns() >= deadline_ns) return false;
  }
}

// A watcher must not be late because what it watches keeps every core busy. Its work is short.
bool become_real_time() {
  ::prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
  sched_param priority{};
  priority.sched_priority = 1;
  return pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority) == 0;
}

// Half the time in which a counter may go round: no longer is it clear how often it has.
double longest_period_s(const SensorInfo& info) {
  const bool goes_round = info.wrap > 0 && info.max_rate > 0;
  return goes_round ? std::max(1 / Sampler::kMaxHz, info.wrap / info.max_rate / 2)
                    : std::numeric_limits<double>::infinity();
}

}  // namespace

struct Sampler::Channel {
  Channel(SensorPtr s, int64_t period, size_t keep)
      : sensor(std::move(s)), period_ns(period), ring(keep) {}

  // Reads once; `late_ns` < 0 for a sample that no deadline asked for.
  void take(int64_t late_ns) {
    const std::lock_guard one_reader(read_mutex);
    const int64_t before = monotonic_ns();
    const Result<double> value = sensor->read();
    const int64_t time_ns = before + (monotonic_ns() - before) / 2;
    if (value) ring.push(time_ns, *value);
    const std::lock_guard lock(mutex);
    if (!value) {
      ++failed;
      last_error = value.error().message;
    }
    if (late_ns < 0) return;
    ++wanted;
    lateness.add(late_ns);
  }

  SensorPtr sensor;
  std::mutex read_mutex;  // sensors and the ring know one thread at a time
  int64_t period_ns;
  int64_t deadline_ns = 0;
  SampleRing ring;
  mutable std::mutex mutex;  // guards what follows; held for nanoseconds
  uint64_t wanted = 0, missed = 0, failed = 0;
  bool real_time = false;
  LatenessHistogram lateness;
  std::string last_error;
};

class Sampler::Worker {
 public:
  explicit Worker(std::vector<Channel*> channels)
      : channels_(std::move(channels)), wake_(::eventfd(0, EFD_CLOEXEC)) {
    thread_ = std::thread([this] { run(); });
  }
  ~Worker() {
    const uint64_t one = 1;
    (void)!::write(wake_, &one, sizeof one);
    thread_.join();
    ::close(wake_);
  }
  double cpu_seconds() const { return cpu_seconds_.load(std::memory_order_relaxed); }

 private:
  void run() {
    const bool real_time = become_real_time();
    const int64_t start = monotonic_ns();
    for (Channel* channel : channels_) {
      channel->deadline_ns = start;
      const std::lock_guard lock(channel->mutex);
      channel->real_time = real_time;
    }
    while (!wait_until(next_deadline(), wake_)) {
      for (Channel* channel : channels_) {
        const int64_t late = monotonic_ns() - channel->deadline_ns;
        if (late < 0) continue;
        channel->take(late);
        advance(*channel);
      }
      cpu_seconds_.store(thread_cpu_seconds(), std::memory_order_relaxed);
    }
    for (Channel* channel : channels_) channel->take(-1);
  }

  int64_t next_deadline() const {
    return (*std::ranges::min_element(channels_, {}, &Channel::deadline_ns))->deadline_ns;
  }

  static void advance(Channel& channel) {
    channel.deadline_ns += channel.period_ns;
    const int64_t behind = monotonic_ns() - channel.deadline_ns;
    if (behind < channel.period_ns) return;
    const int64_t skipped = behind / channel.period_ns;
    channel.deadline_ns += skipped * channel.period_ns;
    const std::lock_guard lock(channel.mutex);
    channel.missed += static_cast<uint64_t>(skipped);
    channel.wanted += static_cast<uint64_t>(skipped);
  }

  std::vector<Channel*> channels_;
  int wake_;
  std::atomic<double> cpu_seconds_{0};
  std::thread thread_;
};

Sampler::Sampler() = default;
Sampler::~Sampler() {
  stop();
}

Result<size_t> Sampler::add(SensorPtr sensor, Seconds period, Seconds keep) {
  if (started_)
    return Error{
        Code::invalid_argument,
        fmt::format("sensor {} comes too late: the sampler is running", sensor->info().name),
        "add sensors before start()"};
  if (!(period.value >= 1 / kMaxHz * (1 - 1e-9)) || period.value > 3600)
    return Error{
        Code::invalid_argument,
        fmt::format("sensor {} cannot be read every {} s", sensor->info().name, period.value),
        "choose an interval from 1 ms to 1 h"};
  period.value = std::min(period.value, longest_period_s(sensor->info()));
  const double samples = std::clamp(keep.value / period.value, 1024.0, double{kMaxKept});
  channels_.push_back(std::make_unique<Channel>(std::move(sensor), nanoseconds(period.value),
                                                static_cast<size_t>(samples)));
  return channels_.size() - 1;
}

Status Sampler::add_all(const SensorList& list, Seconds period) {
  for (const SensorPtr& sensor : list.sensors) FLYBALL_CHECK(add(sensor, period));
  return {};
}

Status Sampler::start() {
  if (started_) return Error{Code::invalid_argument, "the sampler has been started already", ""};
  if (listener_) FLYBALL_CHECK(listener_->begin(*this));
  started_ = true;
  std::map<std::string, std::vector<Channel*>> sources;
  for (const auto& channel : channels_)
    sources[channel->sensor->info().source].push_back(channel.get());
  for (auto& [source, channels] : sources)
    workers_.push_back(std::make_unique<Worker>(std::move(channels)));
  return {};
}

void Sampler::stop() {
  for (const auto& worker : workers_) stopped_cpu_seconds_ += worker->cpu_seconds();
  const bool ran = started_ && !stopped_;
  stopped_ = true;
  workers_.clear();
  if (ran && listener_) listener_->end();
}

void Sampler::sample_now() {
  for (const auto& channel : channels_) channel->take(-1);
}

bool Sampler::running() const {
  return !workers_.empty();
}
size_t Sampler::size() const {
  return channels_.size();
}

Trace Sampler::described(const Channel& channel, std::vector<Sample> samples) const {
  Trace trace{.info = channel.sensor->info(),
              .period_s = static_cast<double>(channel.period_ns) * 1e-9,
              .samples = std::move(samples),
              .stats = {}};
  SamplingStats& stats = trace.stats;
  stats.achieved = channel.ring.pushed();
  stats.overwritten = stats.achieved - std::min<uint64_t>(stats.achieved, channel.ring.capacity());
  {
    const std::lock_guard lock(channel.mutex);
    stats.wanted = channel.wanted;
    stats.missed = channel.missed;
    stats.failed = channel.failed;
    stats.real_time = channel.real_time;
    stats.last_error = channel.last_error;
    stats.late_p50_us = static_cast<double>(channel.lateness.quantile_ns(0.5)) * 1e-3;
    stats.late_p90_us = static_cast<double>(channel.lateness.quantile_ns(0.9)) * 1e-3;
    stats.late_p99_us = static_cast<double>(channel.lateness.quantile_ns(0.99)) * 1e-3;
    stats.late_max_us = static_cast<double>(channel.lateness.max_ns()) * 1e-3;
  }
  find_repeats(trace);
  return trace;
}

Trace Sampler::trace(size_t index) const {
  const Channel& channel = *channels_.at(index);
  return described(channel, channel.ring.copy());
}

Trace Sampler::trace(size_t index, int64_t begin_ns, int64_t end_ns) const {
  const Channel& channel = *channels_.at(index);
  return described(channel, channel.ring.copy(begin_ns, end_ns, kMoreAround));
}

std::vector<Trace> Sampler::traces(int64_t begin_ns, int64_t end_ns) const {
  std::vector<Trace> all;
  for (size_t i = 0; i < channels_.size(); ++i) all.push_back(trace(i, begin_ns, end_ns));
  return all;
}

std::vector<Trace> Sampler::traces() const {
  std::vector<Trace> all;
  for (size_t i = 0; i < channels_.size(); ++i) all.push_back(trace(i));
  return all;
}

std::vector<Sample> Sampler::samples(size_t index, int64_t after_ns, int64_t until_ns) const {
  return channels_.at(index)->ring.copy(after_ns, until_ns, 0);
}

const SensorInfo& Sampler::info(size_t index) const {
  return channels_.at(index)->sensor->info();
}

double Sampler::period_s(size_t index) const {
  return static_cast<double>(channels_.at(index)->period_ns) * 1e-9;
}

bool Sampler::newest(size_t index, Sample& sample) const {
  return channels_.at(index)->ring.newest(sample);
}

double Sampler::cpu_seconds() const {
  double total = stopped_cpu_seconds_;
  for (const auto& worker : workers_) total += worker->cpu_seconds();
  return total;
}

}  // namespace flyball
