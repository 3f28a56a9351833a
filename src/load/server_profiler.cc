#include "load/server_profiler.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "answers/per_text.h"
#include "base/distributions.h"
#include "base/os/file_version.h"
#include "base/os/interrupt.h"
#include "base/random.h"
#include "base/statistics.h"
#include "base/text.h"
#include "load/load_summary.h"
#include "load/prepare.h"
#include "load/server_command.h"
#include "load/server_run.h"
#include "profile/trials/begun_measurement.h"
#include "profile/trials/mode_watch.h"
#include "profile/trials/offered_axes.h"
#include "profile/trials/program_axes.h"
#include "profile/trials/trial_conditions.h"
#include "space/highest_mode.h"

namespace flyball {
namespace {

constexpr double settle_s = 0.05;

struct TrialTime {
  double ms = not_known;
  double noise = unknown_noise;
};

TrialTime by_interval(const QuantileInterval& ms) {
  const double half = std::max(ms.high - ms.value, ms.value - ms.low);
  return {ms.value, std::isfinite(half) && ms.value > 0 ? half / z90 / ms.value : unknown_noise};
}

TrialTime by_rate(double per_s, double count) {
  if (!(per_s > 0) || !(count > 0)) return {};
  return {1e3 / per_s, 1 / std::sqrt(count)};
}

TrialTime time_of(const LoadSummary& summary, ServedFigure figure) {
  const auto answered = static_cast<double>(summary.answered);
  switch (figure) {
    case ServedFigure::latency:
    case ServedFigure::power:
      return by_interval(summary.latency_ms.p50);
    case ServedFigure::latency_p99:
      return by_interval(summary.latency_ms.p99);
    case ServedFigure::ttft:
      return by_interval(summary.first_token_ms.p50);
    case ServedFigure::tpot:
      return by_interval(summary.token_ms.p50);
    case ServedFigure::throughput:
    case ServedFigure::energy:
      return by_rate(summary.requests_per_s, answered);
    case ServedFigure::energy_per_token:
      return by_rate(summary.tokens_per_s, answered);
  }
  return {};
}

std::string failures_text(const LoadSummary& summary) {
  std::vector<std::string> parts;
  for (const auto& [kind, count] : summary.failed) {
    const auto example = summary.examples.find(kind);
    parts.push_back(fmt::format("{} {}{}", count, outcome_name(kind),
                                example == summary.examples.end() ? "" : ": " + example->second));
  }
  return join(parts, "; ");
}

// Times of a file are told by what they are, since its text may be another one next time.
std::string arrivals_text(const ArrivalSpec& arrivals) {
  if (arrivals.kind != ArrivalKind::trace) return arrivals.text;
  std::string times;
  for (const double time_s : arrivals.times_s) times += fmt::format("{} ", time_s);
  for (const RateWindow& window : arrivals.windows)
    times += fmt::format("{}:{} ", window.rate_hz, window.seconds);
  return fmt::format("{} of content {:016x}", arrivals.text, content_hash(times));
}

std::string load_text(const ServerTrialOptions& o) {
  const LoadRequestOptions& r = o.request;
  return fmt::format(
      "{} for {:g} s after {:g} s, seed {}; {} {} {}; model {}; prompt {}; {} tokens{}; "
      "shapes {}; body {} {}; {} connections, {:g} s each; counted {}",
      arrivals_text(o.arrivals), o.load_s, o.warm_up_s, o.seed, o.protocol, r.method, o.url,
      r.model, r.prompt, r.max_tokens, r.stream ? ", streamed" : "", join(r.shapes, " "),
      r.body.string(), r.content_type, o.connections, o.timeout_s, served_figure_name(o.figure));
}

class ServerProfiler final : public Profiler {
 public:
  ServerProfiler(std::unique_ptr<Device> device, std::unique_ptr<PowerMeter> meter,
                 const ServerTrialOptions& options, Space space)
      : device_(std::move(device)),
        meter_(std::move(meter)),
        options_(options),
        space_(std::move(space)) {
    std::vector<std::string> files = options.argv;
    if (!options.request.body.empty()) files.push_back(options.request.body.string());
    info_ = live_info(device_->info(), *device_, *meter_, options.presets);
    info_.conditions = combine({device_->info().settings, process_conditions(),
                                power_conditions(*meter_), program_conditions(files)});
    info_.conditions["load"] = load_text(options);
    info_.workload = join(options.argv, " ");
    info_.phase = Phase::infer;
    info_.trial_cap_s = options.load_s + options.warm_up_s;
    info_.conditions[counted_condition] = served_unit(options.figure);
    info_.conditions[figure_condition] = served_figure_name(options.figure);
    Settings usual = device_->baseline().values;
    for (const Axis& axis : space_.axes())
      if (axis.scope == Scope::run) usual[axis.name] = std::ranges::min(axis.values);
    default_ = nearest_config(space_, usual);
    info_.default_is_highest = is_highest(space_, default_, device_->axes());
  }

  const ProfilerInfo& info() const override { return info_; }
  const Space& space() const override { return space_; }
  size_t default_config() const override { return default_; }
  std::string default_reason() const override {
    const bool own = std::ranges::any_of(space_.axes(),
                                         [](const Axis& axis) { return axis.scope == Scope::run; });
    return default_mode_text(space_.settings(default_), *device_) +
           (own ? ", and the lowest value of each axis of the server" : "");
  }
  std::string out_of_reach(size_t config) const override {
    return device_->out_of_reach(space_.trial(config, info_.workload, info_.phase).mode);
  }
  void next_repeat(size_t config, size_t number) override { repeats_[config] = number; }

  Result<Measurement> measure(size_t config) override {
    FLYBALL_CHECK(device_->claim());
    const auto run = [&](Measurement& m) {
      Status status = run_trial(config, m);
      if (!status.ok()) server_.reset();  // the next trial gets a fresh one
      return status;
    };
    return live_trial(info_, space_.trial(config, info_.workload, info_.phase), run,
                      [](const Error& error) {
                        return ends_trials(error) || error.code == Code::conflict ||
                               error.code == Code::invalid_argument;
                      });
  }

 private:
  Status run_trial(size_t config, Measurement& m) {
    FLYBALL_CHECK(device_->apply(m.trial.mode));
    m.settle_s = settle(*device_, m.trial.mode, settle_s);
    FLYBALL_CHECK(start(m.trial));
    FLYBALL_ASSIGN(const LoadRequest request,
                   prepare_load(server_->target(), options_.request, options_.timeout_s));
    ClockWatch clocks(*device_, m.trial.mode);
    clocks.begin();
    FLYBALL_ASSIGN(const LoadRun run, run_load(load_of(config, request)));
    FLYBALL_CHECK(check_interrupt(options_.interrupted));
    clocks.look();
    clocks.end(m);
    FLYBALL_CHECK(server_->alive());
    FLYBALL_CHECK(device_->still_set());
    return take(run, m);
  }

  LoadOptions load_of(size_t config, const LoadRequest& request) {
    LoadOptions load;
    load.target = server_->target();
    load.request = request;
    load.arrivals = options_.arrivals;
    load.seed = mix_seed(options_.seed, repeats_[config]);
    load.duration_s = options_.load_s;
    load.warm_up_s = options_.warm_up_s;
    load.connections = options_.connections;
    load.timeout_s = options_.timeout_s;
    if (info_.power_gap.empty()) load.meter = meter_.get();
    load.power_gap = info_.power_gap;
    load.interrupted = options_.interrupted;
    return load;
  }

  // Only where the server that runs is another one.
  Status start(const Trial& trial) {
    Settings settings = all_settings(trial);
    std::string identity =
        join(filled_in(options_.argv, settings), "\n") + "\n" + filled_in(options_.url, settings);
    for (const AxisState& state : device_->states())
      if (state.own && settings.contains(state.axis.name))
        identity += fmt::format("\n{} {}", state.axis.name, settings.at(state.axis.name));
    if (server_ && identity == identity_ && server_->alive().ok()) return {};
    server_.reset();
    FLYBALL_ASSIGN(const int port, free_port());
    settings["port"] = port;
    ServerStart start;
    start.argv = filled_in(options_.argv, settings);
    start.url = filled_in(options_.url, settings);
    start.environment = options_.environment;
    start.environment.emplace_back("FLYBALL_MEASURED=1");
    start.protocol = options_.protocol;
    start.ready = options_.ready;
    start.patience_s = options_.start_s;
    start.interrupted = options_.interrupted;
    FLYBALL_ASSIGN(server_, ServerRun::start(start));
    identity_ = identity;
    return {};
  }

  Status take(const LoadRun& run, Measurement& m) const {
    const LoadSummary summary = summarise(run, {}, options_.connections);
    m.figures = load_figures(summary);
    m.power = run.power;
    if (!run.power) m.power_gap = run.power_gap;
    if (const auto throttling = meter_->throttling())
      m.interference.throttled = !throttling->empty();
    m.warm_up_s = options_.warm_up_s;
    m.stop_reason = fmt::format("{} of {} requests were answered in {:.3g} s of load",
                                summary.answered, summary.due, summary.window_s);
    if (summary.due == 0)
      return Error{Code::unavailable, "no request was due in the time of a trial",
                   "allow more: --trial-time"};
    if (summary.answered == 0)
      return Error{Code::unavailable, "no request was answered: " + failures_text(summary), ""};
    const TrialTime time = time_of(summary, options_.figure);
    if (!(time.ms > 0))
      return Error{Code::unavailable,
                   fmt::format("the answers tell no {}", served_figure_name(options_.figure)),
                   "tokens are those of openai-chat and openai-completions, streamed"};
    m.minibatch_ms = m.compute_ms = time.ms;
    m.noise = time.noise;
    m.first = {.stall_ms = 0, .compute_ms = time.ms, .e2e_ms = time.ms, .epoch = 0};
    m.minibatches = {m.first};
    return {};
  }

  std::unique_ptr<Device> device_;
  std::unique_ptr<PowerMeter> meter_;
  ServerTrialOptions options_;
  ProfilerInfo info_;
  Space space_;
  size_t default_ = 0;
  std::map<size_t, size_t> repeats_;
  std::unique_ptr<ServerRun> server_;
  std::string identity_;  ///< command and inherited settings of the server that runs
};

constexpr std::array<const char*, 8> figure_names = {
    "latency", "latency_p99", "ttft", "tpot", "throughput", "energy", "energy_per_token", "power"};

}  // namespace

const char* served_figure_name(ServedFigure figure) {
  return figure_names[static_cast<size_t>(figure)];
}

Result<ServedFigure> parse_served_figure(const std::string& text) {
  const auto found = std::ranges::find(figure_names, text);
  if (found != figure_names.end()) return static_cast<ServedFigure>(found - figure_names.begin());
  return Error{Code::invalid_argument, fmt::format("'{}' is not an objective of a server", text),
               name_hint(text, {figure_names.begin(), figure_names.end()})};
}

const char* served_unit(ServedFigure figure) {
  return figure == ServedFigure::tpot || figure == ServedFigure::energy_per_token ? "token"
                                                                                  : "request";
}

const std::vector<std::string>& served_figures() {
  static const std::vector<std::string> names = {
      "latency_p50", "latency_p99",  "ttft",   "ttft_p99",  "tpot",   "tpot_p99",
      "throughput",  "tokens_per_s", "failed", "request_j", "token_j"};
  return names;
}

Result<std::unique_ptr<Profiler>> make_server_profiler(std::unique_ptr<Device> device,
                                                       std::unique_ptr<PowerMeter> meter,
                                                       const ServerTrialOptions& options) {
  FLYBALL_ASSIGN(const std::vector<Axis> axes, program_axes(*device, options.open));
  std::vector<Axis> open;
  for (const Axis& axis : axes)
    if (find_axis(options.open, axis.name)) open.push_back(axis);
  FLYBALL_CHECK(check_places(options.argv, options.url, open));
  return std::unique_ptr<Profiler>(std::make_unique<ServerProfiler>(
      std::move(device), std::move(meter), options, Space::grid(axes)));
}

}  // namespace flyball
