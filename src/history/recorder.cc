#include "history/recorder.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"
#include "base/os/memory.h"
#include "base/text.h"
#include "device/measuring.h"
#include "telemetry/sensors/other_load.h"

namespace flyball {
namespace {

std::string not_taken(size_t count, const std::string& workload, const std::string& why) {
  return fmt::format("{} earlier measurement{} of {} {} not taken over: {}", count,
                     count == 1 ? "" : "s", workload, count == 1 ? "is" : "are", why);
}

// The latest of them says what differs.
std::string why_not_taken(size_t count, const SameConditions& latest, const ProfilerInfo& now) {
  std::string why = "they were made before their conditions were kept";
  if (latest.conditions) {
    std::vector<std::string> different = differences(*latest.conditions, now.conditions);
    if (latest.fingerprint != now.fingerprint)
      different.insert(different.begin(), fmt::format("the machine was '{}', now '{}'",
                                                      latest.fingerprint, now.fingerprint));
    if (!latest.disturbed_by.empty())
      different.push_back(fmt::format("the latest was made beside {}", latest.disturbed_by));
    why = join(different, "; ");
  }
  return not_taken(count, now.workload, why);
}

// For want of memory a trial fails each time that it is made, and so does a simulated one; what
// else failed may have been mended, and where the power sensor failed it may work now.
bool worth_another(const Measurement& m, bool senses_power) {
  if (m.failed()) return m.provenance != Provenance::simulated && !tells_of_no_memory(m.failure);
  return senses_power && !m.power;
}

// In their order. Where it was read, too, that it failed once says nothing.
void keep_what_was_read(std::vector<StoredMeasurement>& known) {
  const auto failed = [](const StoredMeasurement& one) { return one.measurement.failed(); };
  if (!std::ranges::all_of(known, failed)) std::erase_if(known, failed);
  std::ranges::sort(known, {}, &StoredMeasurement::id);
}

}  // namespace

std::optional<size_t> MeasuredRole::candidate(size_t row) const {
  const auto found = std::ranges::find(config, row);
  if (found == config.end()) return {};
  return static_cast<size_t>(found - config.begin());
}

std::optional<size_t> MeasuredRole::usual() const {
  return candidate(profiler->default_config());
}

Result<Recorder> Recorder::open(MeasuredRole role, Store* store, std::optional<int64_t> run,
                                bool fresh) {
  Recorder recorder(std::move(role), store, run);
  if (store && (!fresh || run)) FLYBALL_CHECK(recorder.load(fresh));
  return recorder;
}

Status Recorder::load(bool own_only) {
  const ProfilerInfo& info = profiler_->info();
  MeasurementFilter filter;
  filter.device = info.device;
  filter.workload = info.workload;
  filter.phase = info.phase;
  // The rows of a table have provenances of their own; which table it is, its fingerprint says.
  if (info.live) filter.provenance = info.provenance;
  candidate_of_.assign(profiler_->space().size(), {});
  for (size_t c = 0; c < role_.config.size(); ++c) candidate_of_[role_.config[c]] = c;
  const auto serve = [&](const SameConditions& same) {
    return same.own && same.disturbed_by.empty() && same.fingerprint == info.fingerprint &&
           same.conditions && serves(*same.conditions, info.conditions);
  };
  FLYBALL_ASSIGN(const auto read, store_->conditions(filter));
  filter.failed = true;
  FLYBALL_ASSIGN(const auto tried, store_->conditions(filter));
  for (const SameConditions& same : tried)
    if (serve(same)) FLYBALL_CHECK(take(same, filter, own_only));
  for (auto& [candidate, known] : known_) keep_what_was_read(known);
  const SameConditions* other = nullptr;
  size_t others = 0, foreign = 0;
  for (const SameConditions& same : read) {
    if (serve(same)) continue;
    if (same.own) other = &same;
    (same.own ? others : foreign) += same.measurements;
  }
  if (!info.live || !known_.empty() || own_only) return {};
  if (other) notes_.push_back(why_not_taken(others, *other, info));
  if (foreign > 0)
    notes_.push_back(
        not_taken(foreign, info.workload, "they were collected from the store of another board"));
  return {};
}

// Those that were made here, under conditions that serve: boards of one kind and software have one
// fingerprint.
Status Recorder::take(const SameConditions& same, MeasurementFilter filter, bool own_only) {
  const ProfilerInfo& info = profiler_->info();
  filter.fingerprint = same.fingerprint;
  filter.conditions = same.conditions;
  filter.disturbed = false;
  filter.own = true;
  if (own_only) filter.run = run_;
  FLYBALL_ASSIGN(auto stored, store_->measurements(filter));
  const Space& space = profiler_->space();
  for (StoredMeasurement& known : stored) {
    if (own_only && known.reused) continue;
    Measurement& m = known.measurement;
    const auto row = space.to_row(all_settings(m.trial));
    const auto config = row ? space.find(*row) : std::nullopt;
    // The job must agree in what is no axis of this space, too.
    if (!config) continue;
    Trial expected = space.trial(*config, info.workload, info.phase);
    expected.job.settings.insert(info.job.begin(), info.job.end());
    if (expected != m.trial) continue;
    // A row that was imported is not yet what its table answers, where repeats come to one.
    if (!info.live && m.origin != Origin::table) continue;
    if (info.live && worth_another(m, !info.power_total.empty())) continue;
    // Trials of one answer are alike: where power cannot be read now, theirs is left out.
    if (m.conditions != info.conditions) {
      m.power.reset();
      m.power_gap = info.power_gap;
    }
    if (const auto candidate = candidate_of_[*config])
      known_[*candidate].push_back(std::move(known));
  }
  return {};
}

Result<std::vector<Recorder::Recorded>> Recorder::recall() {
  std::map<int64_t, Recorded> by_id;
  for (const auto& [candidate, stored] : known_)
    for (const StoredMeasurement& one : stored)
      by_id[one.id] = {candidate, role_.config[candidate], one.measurement, true, one.run};
  std::vector<Recorded> all;
  std::vector<int64_t> ids;
  for (auto& [id, recorded] : by_id) {
    ids.push_back(id);
    all.push_back(std::move(recorded));
  }
  if (run_) FLYBALL_CHECK(store_->reuse(*run_, ids));
  return all;
}

std::string Recorder::out_of_reach(size_t candidate) const {
  return profiler_->out_of_reach(role_.config[candidate]);
}

Result<Recorder::Recorded> Recorder::measure(size_t candidate, bool repeated) {
  if (auto ahead = ahead_.extract(candidate)) return std::move(ahead.mapped());
  return make(candidate, repeated);
}

Result<Measurement> Recorder::look_ahead(size_t candidate) {
  if (const auto known = known_.find(candidate); known != known_.end())
    return known->second.front().measurement;
  FLYBALL_ASSIGN(Recorded made, make(candidate, false));
  return ahead_.insert_or_assign(candidate, std::move(made)).first->second.measurement;
}

// How often a candidate was read before decides what a simulation reads next.
size_t Recorder::times_read(size_t candidate) {
  const auto known = known_.find(candidate);
  return made_[candidate]++ + (known == known_.end() ? 0 : known->second.size());
}

Result<Recorder::Recorded> Recorder::make(size_t candidate, bool repeated) {
  if (const std::string why = out_of_reach(candidate); !why.empty())
    return not_made(candidate, why);
  const Stopwatch watch;
  const OtherLoad others;
  const Disturbance disturbance;
  if (on_begin_) on_begin_();
  const size_t config = role_.config[candidate];
  profiler_->next_repeat(config, times_read(candidate));
  FLYBALL_ASSIGN(Measurement measurement, profiler_->measure(config));
  measuring_s_ += watch.seconds();
  const ProfilerInfo& info = profiler_->info();
  // What else runs here disturbs no simulation.
  const bool here = info.live && info.provenance != Provenance::simulated;
  if (here && !info.told) measurement.interference.cores = others.cores();
  measurement.repeated = repeated;
  if (here) mark_disturbed(disturbance.by(), measurement);
  // The first clock that does not rise tells that none will: that is no failure of the trial.
  if (measurement.failed())
    if (const std::string why = out_of_reach(candidate); !why.empty())
      return not_made(candidate, why);
  if (store_) {
    FLYBALL_ASSIGN([[maybe_unused]] const int64_t id, store_->add_measurement(measurement, run_));
  }
  return Recorded{candidate, config, std::move(measurement), false, run_};
}

Recorder::Recorded Recorder::not_made(size_t candidate, const std::string& why) const {
  const ProfilerInfo& info = profiler_->info();
  Recorded recorded{candidate, role_.config[candidate]};
  recorded.measurement.trial = profiler_->space().trial(recorded.config, info.workload, info.phase);
  recorded.measurement.failure = recorded.set_aside = why;
  return recorded;
}

void Recorder::mark_disturbed(const std::string& by, Measurement& measurement) {
  ++live_;
  if (by.empty()) return;
  disturbed_by_ = by;
  ++disturbed_;
  measurement.interference.by = by;
}

std::vector<std::string> Recorder::notes() const {
  std::vector<std::string> notes = notes_;
  if (disturbed_ > 0)
    notes.push_back(fmt::format(
        "{} of {} trials of {} were disturbed: {} measured on this machine at the same time; what "
        "they read serves no later command",
        disturbed_, live_, profiler_->info().workload, disturbed_by_));
  return notes;
}

}  // namespace flyball
