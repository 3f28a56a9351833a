#include "experiment/findings/cache_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/amounts.h"
#include "base/lru.h"
#include "experiment/findings/finding_words.h"

namespace flyball {
namespace {

constexpr double cache_is_full = 0.98;  // share of the set from which on the cache holds it
constexpr double hidden = 0.02;         // a stall of less of an epoch is not worth a remedy
constexpr double nothing = 0.01;        // share of the set that is as good as not read
constexpr double busy = 0.8;            // share of its rate from which on the disk limits

double set_bytes(const Group& group) {
  return group.runs.front()->dataset_bytes;
}

// Memory for the set, where it is limited.
std::optional<double> memory_bytes(const Group& group) {
  if (group.settings.memory_pct > 0) return set_bytes(group) * group.settings.memory_pct / 100;
  if (group.settings.memory_mb > 0) return group.settings.memory_mb * 1e6;
  return {};
}

double cache_bytes(const Group& group) {
  return memory_bytes(group).value_or(0) * group.settings.cache_pct / 100;
}

// Of raw samples in an epoch.
double sample_bytes(const EpochAverage& epoch) {
  return epoch.file_bytes.value_or(0) + epoch.cache_bytes.value_or(0);
}

Finding sample_cache_finding(const Group& group) {
  const EpochAverage& later = *group.later;
  const double all = sample_bytes(later), size = std::min(cache_bytes(group), all);
  const double wanted = all - size, read = later.file_bytes.value_or(0);
  return {fmt::format("{}: the sample cache has room for {:.0f} % of the set; epochs 1 and later "
                      "take {} from it and {} of {} from files (1 - size/set: {}), {} of them from "
                      "the disk; stall {} against {} in epoch 0.",
                      group.label, 100 * size / all, format_bytes(all - read), format_bytes(read),
                      format_bytes(all), format_bytes(wanted),
                      format_bytes(later.read_bytes.value_or(0)), seconds(later.stall_s),
                      seconds(group.first.stall_s)),
          std::abs(read - wanted) <= 0.01 * all};
}

Finding page_cache_finding(const Group& group) {
  const EpochAverage& later = *group.later;
  const double set = set_bytes(group);
  const bool held = *later.cached >= cache_is_full;
  const std::string text = fmt::format(
      "{}: before epochs 1 and later the page cache holds {:.0f} % of the set, and "
      "they read {} of {} from the disk (epoch 0: {}); stall {} against {}.",
      group.label, 100 * *later.cached, format_bytes(*later.read_bytes), format_bytes(set),
      format_bytes(group.first.read_bytes.value_or(0)), seconds(later.stall_s),
      seconds(group.first.stall_s));
  if (group.settings.clear == Clear::epoch)
    return {text + " It was dropped before each epoch.", *later.read_bytes > 0.9 * set};
  if (const auto memory = memory_bytes(group)) {
    const double share = *memory / set;
    if (share >= 1) return {text + " The memory has room for the set.", held};
    // As expected where it loses more than its size says: nearer to that than to what it holds.
    const double last = lru_hits(share);
    const double hit = 1 - *later.read_bytes / set;
    return {
        text + fmt::format(" There is memory for {:.0f} %, of which a cache that keeps what was "
                           "read last would hit {:.0f} % (c + (1 - c) ln(1 - c)); it hit {:.0f} "
                           "%.",
                           100 * share, 100 * last, 100 * hit),
        !held && std::abs(hit - last) < std::abs(hit - share)};
  }
  return {text + (held ? " The cache holds the set." : " The cache does not hold the set."),
          !held || *later.read_bytes < 0.01 * set};
}

// The group that differs from this one by having no sample cache; null when there is none.
const Group* without_cache(const std::vector<Group>& groups, const Group& like) {
  RunSettings wanted = like.settings;
  wanted.cache_pct = 0;
  const auto key = settings_json(wanted);
  for (const Group& group : groups)
    if (settings_json(group.settings) == key && group.later) return &group;
  return nullptr;
}

Finding comparison(const Group& alone, const Group& ours) {
  const EpochAverage &a = *alone.later, &b = *ours.later;
  return {
      fmt::format("{}: of the same memory, {} as a sample cache: an epoch takes {} instead of {} "
                  "({}), its stall {} instead of {}, and it reads {} from the disk instead of {}.",
                  ours.label, format_bytes(cache_bytes(ours)), seconds(b.e2e_s), seconds(a.e2e_s),
                  change(a.e2e_s, b.e2e_s), seconds(b.stall_s), seconds(a.stall_s),
                  format_bytes(b.read_bytes.value_or(0)), format_bytes(a.read_bytes.value_or(0))),
      b.e2e_s < a.e2e_s};
}

std::string disk_remedy(const EpochAverage& epoch, double rate) {
  const double read_s = *epoch.read_bytes * 1e-6 / rate;
  const double share = std::min(1.0, read_s / epoch.e2e_s);
  if (share >= busy)
    return fmt::format(
        "the disk is busy for {:.0f} % of the epoch at its {:g} MB/s, so more workers bring "
        "nothing, "
        "and one twice as fast brings {} at most",
        100 * share, rate, seconds(std::min(epoch.stall_s, read_s / 2)));
  return fmt::format(
      "the disk is busy for {:.0f} % of the epoch at its {:g} MB/s, so a faster one brings {} at "
      "most; the rest is the loader's own work, which more workers share where cores are free",
      100 * share, rate, seconds(std::min(epoch.stall_s, read_s)));
}

}  // namespace

std::vector<Finding> cache_findings([[maybe_unused]] const ExperimentSpec& spec,
                                    const std::vector<Group>& groups) {
  std::vector<Finding> list;
  for (const Group& group : groups) {
    if (!group.later || !group.later->read_bytes) continue;
    const bool sample_cache = group.settings.cache_pct > 0 && sample_bytes(*group.later) > 0;
    if (sample_cache)
      list.push_back(sample_cache_finding(group));
    else if (group.later->cached)
      list.push_back(page_cache_finding(group));
    const Group* const alone = sample_cache ? without_cache(groups, group) : nullptr;
    if (alone) list.push_back(comparison(*alone, group));
  }
  return list;
}

std::vector<Finding> remedy_findings(const ExperimentSpec& spec, const std::vector<Group>& groups) {
  std::vector<Finding> list;
  for (const Group& group : groups) {
    if (!group.later || !group.later->read_bytes) continue;
    const EpochAverage& later = *group.later;
    if (later.stall_s < hidden * later.e2e_s) {
      list.push_back(
          {fmt::format("{}: {} of stall in {}: neither memory, nor a faster disk, nor more "
                       "workers would show.",
                       group.label, seconds(later.stall_s), seconds(later.e2e_s)),
           {}});
      continue;
    }
    if (*later.read_bytes < nothing * set_bytes(group)) {
      list.push_back(
          {fmt::format("{}: nothing is read any more; the stall of {} in {} is the "
                       "loader's own work, which more workers share where cores are free.",
                       group.label, seconds(later.stall_s), seconds(later.e2e_s)),
           {}});
      continue;
    }
    const Medium* const medium = spec.medium(group.settings.medium);
    const double rate = medium ? medium->read_mb_s : 0;
    list.push_back(
        {fmt::format(
             "{}: {} of memory would hold the set; then nothing is read, and of {} an epoch "
             "saves the stall of {} at most{}.",
             group.label, format_bytes(set_bytes(group)), seconds(later.e2e_s),
             seconds(later.stall_s),
             rate > 0 && later.e2e_s > 0 ? "; " + disk_remedy(later, rate) : ""),
         {}});
  }
  return list;
}

}  // namespace flyball
