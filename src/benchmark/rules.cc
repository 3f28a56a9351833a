#include "benchmark/rules.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "answers/answer.h"
#include "base/json.h"
#include "base/statistics.h"
#include "base/text.h"

namespace flyball {
namespace {

constexpr double sums_agree = 1e-6;   ///< of an epoch's parts, relative
constexpr double means_agree = 0.01;  ///< of the samples and of the whole window, relative

/// The rules of one entry whose power they are; it may miss them and still tell times.
constexpr const char* power_rule = "power";

class Rules {
 public:
  Rules(CheckedResult& checked, const Benchmark& benchmark)
      : checked_(checked), result_(checked.read.result), benchmark_(benchmark) {}

  void apply() {
    file_rules();
    for (const EntryResult& entry : result_.entries) entry_rules(entry);
  }

 private:
  void add(const std::string& rule, std::optional<bool> holds, const std::string& why) {
    checked_.rules.push_back({rule, entry_, holds, why});
  }

  void file_rules() {
    const bool same =
        result_.benchmark == benchmark_.name && result_.definition == benchmark_.digest;
    add("same benchmark", same,
        same ? fmt::format("{}, version {}", benchmark_.name, benchmark_.version)
             : fmt::format("it is of {}, version {} ({}), here is version {} ({})",
                           result_.benchmark, result_.version, result_.definition,
                           benchmark_.version, benchmark_.digest));
    add("as it was written", checked_.read.edited.empty(),
        checked_.read.edited.empty() ? "its digest and all figures agree" : checked_.read.edited);
    const bool signed_off = !result_.signed_off_by.empty();
    if (result_.provenance() == Provenance::simulated)
      add("signed off", {}, "what is simulated needs nobody to vouch for it");
    else
      add("signed off", signed_off,
          signed_off ? fmt::format("by {}, {}", result_.signed_off_by, result_.signed_off_utc)
                     : "nobody vouches for it: --sign-off NAME");
    const bool measured = result_.provenance() == Provenance::measured;
    add("measured", measured, measured ? "on " + result_.board.title : "it was simulated");
    const bool same_mode = result_.mode == result_.mode_after;
    add("one mode", same_mode,
        same_mode ? "the board began and ended in it" : "the board ended in another mode");
    missing_entries();
  }

  void missing_entries() {
    std::vector<std::string> missing;
    for (const BenchmarkEntry& entry : benchmark_.entries)
      if (std::ranges::none_of(result_.entries, [&](const EntryResult& one) {
            return one.entry.id == entry.id && one.failure.empty();
          }))
        missing.push_back(entry.id);
    if (missing.empty())
      add("all entries", true, fmt::format("{} of them", benchmark_.entries.size()));
    else
      add("all entries", {}, "it has no " + join(missing, ", "));
  }

  void entry_rules(const EntryResult& entry) {
    entry_ = entry.entry.id;
    const BenchmarkEntry* wanted = benchmark_.find(entry_);
    if (!entry.failure.empty()) return add("trained", {}, entry.failure);
    if (!wanted) return add("as defined", false, "the benchmark has no such entry");
    const std::string changed = difference(*wanted, entry.entry);
    add("as defined", changed.empty(),
        changed.empty() ? "network, data, batch size, optimizer and target" : changed);
    times(entry);
    if (entry.provenance != Provenance::measured) return;
    target(entry);
    const std::string beside = disturbances(entry);
    add("alone", beside.empty(),
        beside.empty() ? "nothing else was measured, " + watched_text(entry) : beside);
    power(entry);
  }

  static std::string difference(const BenchmarkEntry& wanted, const BenchmarkEntry& found) {
    const auto told = [](const BenchmarkEntry& e) {
      return std::vector<std::pair<std::string, std::string>>{
          {"network", e.network},
          {"data", e.set_name()},
          {"image size", std::to_string(e.image_size)},
          {"batch size", std::to_string(e.batch_size)},
          {"optimizer", optimizer_name(e.optimizer)},
          {"learning rate", fmt::format("{:g}", e.learning_rate)},
          {"quality", quality_name(e.quality)},
          {"target", fmt::format("{:g}", e.target)},
          {"most epochs", std::to_string(e.most_epochs)},
          {"reference epochs", std::to_string(e.epochs)}};
    };
    const auto a = told(wanted), b = told(found);
    for (size_t i = 0; i < a.size(); ++i)
      if (a[i] != b[i])
        return fmt::format("{} is {}, and is defined as {}", a[i].first, b[i].second, a[i].second);
    return "";
  }

  void times(const EntryResult& entry) {
    const auto least = static_cast<size_t>(benchmark_.rules.later_epochs) + 1;
    std::string wrong;
    if (entry.epochs.size() < least)
      wrong = fmt::format("{} epochs, and {} are the least", entry.epochs.size(), least);
    for (size_t i = 0; wrong.empty() && i < entry.epochs.size(); ++i) {
      const BenchmarkEpoch& e = entry.epochs[i];
      const double sum = e.stall_s + e.compute_s + e.overhead_s;
      if (!(e.e2e_s > 0) || !(e.stall_s >= 0) || !(e.compute_s > 0) ||
          !(std::abs(sum - e.e2e_s) <= sums_agree * e.e2e_s))
        wrong = fmt::format("epoch {}: stall, computing and the rest add up to {:g} s of {:g}", i,
                            sum, e.e2e_s);
    }
    add("times", wrong.empty(),
        wrong.empty() ? fmt::format("{} epochs whose parts add up", entry.epochs.size()) : wrong);
  }

  void target(const EntryResult& entry) {
    const auto needed = entry.epochs_to_target();
    std::string best = "nothing was judged";
    std::optional<double> value;
    for (const BenchmarkEpoch& epoch : entry.epochs)
      if (epoch.quality && (!value || reaches(entry.entry.quality, *epoch.quality, *value)))
        value = epoch.quality;
    if (value) best = fmt::format("{} {:.4g} at best", quality_name(entry.entry.quality), *value);
    const bool reached = needed && *needed <= entry.entry.most_epochs;
    add("target reached", reached,
        reached ? fmt::format("{} {:.4g} of the held-out part after {} epochs",
                              quality_name(entry.entry.quality),
                              *entry.epochs[static_cast<size_t>(*needed) - 1].quality, *needed)
                : fmt::format("{}, and the target is {:g}", best, entry.entry.target));
  }

  static std::string watched_text(const EntryResult& entry) {
    const auto others = entry.others_cpu_pct();
    const std::string load = others ? fmt::format("other programs took {:.2g} % of a core", *others)
                                    : "what other programs took is not known";
    return load + (entry.watched ? ", nothing throttled" : ", whether it throttled is not known");
  }

  std::string disturbances(const EntryResult& entry) const {
    std::vector<std::string> told = entry.throttled;
    if (!entry.disturbed.empty()) told.push_back("measured beside " + entry.disturbed);
    const auto others = entry.others_cpu_pct();
    if (others && *others > benchmark_.rules.others_pct)
      told.push_back(fmt::format("other programs took {:.0f} % of a core, and {:g} % is the most",
                                 *others, benchmark_.rules.others_pct));
    return join(told, ", ");
  }

  void power(const EntryResult& entry) {
    const BenchmarkPower& power = entry.power;
    if (power.total.empty())
      return add(power_rule, {}, power.gap.empty() ? "it has no power" : power.gap);
    const std::string wrong = power_fault(power);
    add(power_rule, wrong.empty(),
        wrong.empty() ? fmt::format("{} of {}: {} samples in {:.3g} s", power.total,
                                    join(power.sensors, " + "), power.samples.size(),
                                    power.end_s - power.begin_s)
                      : wrong);
  }

  std::string power_fault(const BenchmarkPower& power) const {
    const BenchmarkRules& rules = benchmark_.rules;
    if (power.sensors.empty()) return "it does not say which sensors its power is of";
    const auto count = power.samples.size();
    if (count < static_cast<size_t>(rules.power_samples))
      return fmt::format("{} samples of power, and {} are the least", count, rules.power_samples);
    if (power.trained_s < rules.settle_s)
      return fmt::format("its power begins after {:g} s of training, and {:g} s settle it",
                         power.trained_s, rules.settle_s);
    std::vector<double> steps, watts;
    for (size_t i = 0; i < count; ++i) {
      watts.push_back(power.samples[i].second);
      if (i > 0) steps.push_back(power.samples[i].first - power.samples[i - 1].first);
      if (power.samples[i].first < power.begin_s || power.samples[i].first > power.end_s)
        return fmt::format("its sample at {:g} s lies outside of its window",
                           power.samples[i].first);
    }
    const auto [shortest, longest] = std::ranges::minmax(steps);
    const double usual = median(steps);
    if (!(shortest > 0)) return "its samples of power are not in the order of time";
    if (longest > rules.unevenness * usual)
      return fmt::format("no sample of power for {:.3g} s, and every {:.3g} s is usual", longest,
                         usual);
    if (usual * rules.rate_hz > 1 + sums_agree)
      return fmt::format("a sample of power each {:.3g} s, and {:g} Hz are the least", usual,
                         rules.rate_hz);
    if (power.updates < 2) return "its sensors showed one value throughout";
    if (std::abs(mean(watts) - power.mean_w) > means_agree * power.mean_w)
      return fmt::format("its samples have a mean of {:.4g} W, and it says {:.4g}", mean(watts),
                         power.mean_w);
    return "";
  }

  CheckedResult& checked_;
  const BenchmarkResult& result_;
  const Benchmark& benchmark_;
  std::string entry_;
};

}  // namespace

bool CheckedResult::any_broken() const {
  return std::ranges::any_of(rules, [](const AppliedRule& one) { return one.holds == false; });
}

std::string CheckedResult::broken() const {
  for (const AppliedRule& one : rules)
    if (one.holds == false && one.rule != power_rule)
      return (one.entry.empty() ? "" : one.entry + ": ") + fmt::format("{}: {}", one.rule, one.why);
  return "";
}

bool CheckedResult::power_counts(const std::string& entry) const {
  return std::ranges::any_of(rules, [&](const AppliedRule& one) {
    return one.entry == entry && one.rule == power_rule && one.holds == true;
  });
}

CheckedResult check_result(ReadResult read, const Benchmark& benchmark) {
  CheckedResult checked;
  checked.read = std::move(read);
  Rules(checked, benchmark).apply();
  return checked;
}

Json check_json(const CheckedResult& checked) {
  const BenchmarkResult& result = checked.read.result;
  Json json{{"schema", json_schema},
            {"file", checked.read.file},
            {"board", result.board.name},
            {"signed_off_by", text_or_null(result.signed_off_by)},
            {"holds", !checked.any_broken()}};
  json["rules"] = Json::array();
  for (const AppliedRule& one : checked.rules)
    json["rules"].push_back({{"rule", one.rule},
                             {"entry", text_or_null(one.entry)},
                             {"holds", or_null(one.holds)},
                             {"why", one.why}});
  return json;
}

}  // namespace flyball
