#include "collect/collect_stores.h"

#include <algorithm>
#include <mutex>
#include <thread>

#include "base/json.h"
#include "base/os/interrupt.h"

namespace flyball {
namespace {

CollectOutcome take_store(CollectTarget& target, const CollectSource& source,
                          const std::atomic<bool>* cancelled) {
  CollectOutcome outcome{source.place};
  if (is_interrupted(cancelled)) {
    outcome.error = Error{Code::interrupted, "interrupted", "run the same command again"};
    return outcome;
  }
  const auto taken = target.take(source.place, source.board);
  if (taken)
    outcome.taken = *taken;
  else
    outcome.error = taken.error();
  return outcome;
}

Json to_json(const CollectOutcome& outcome) {
  Json json{{"source", outcome.source}};
  if (!outcome.taken) {
    json["error"] = {{"code", code_name(outcome.error->code)},
                     {"message", outcome.error->message},
                     {"hint", outcome.error->hint}};
    return json;
  }
  const Collected& taken = *outcome.taken;
  json.update({{"store", taken.store},
               {"new_runs", taken.new_runs},
               {"changed_runs", taken.changed_runs},
               {"known_runs", taken.known_runs},
               {"running_runs", taken.running_runs},
               {"measurements", taken.measurements},
               {"experiment_runs", taken.experiment_runs},
               {"facts", taken.facts}});
  return json;
}

}  // namespace

Result<std::vector<CollectOutcome>> collect_stores(const std::vector<CollectSource>& sources,
                                                   const std::string& into, const CollectRun& run) {
  // What keeps all of them from it is said once.
  FLYBALL_ASSIGN(CollectTarget first, CollectTarget::open_or_make_later(into));
  std::vector<CollectOutcome> outcomes(sources.size());
  std::mutex told;
  std::atomic<size_t> next = 0;
  size_t done = 0;
  const auto work = [&](CollectTarget& target) {
    for (size_t i = 0; (i = next++) < sources.size();) {
      outcomes[i] = take_store(target, sources[i], run.cancelled);
      const std::lock_guard lock(told);
      if (run.told) run.told(++done, sources.size(), sources[i].place);
    }
  };
  std::vector<std::thread> others;
  for (size_t job = 1; job < std::min(run.jobs, sources.size()); ++job)
    others.emplace_back([&] {
      // Where the server has no more connections, the others do the work.
      if (auto own = CollectTarget::open_or_make_later(into)) work(*own);
    });
  work(first);
  for (std::thread& other : others) other.join();
  return outcomes;
}

Json to_json(const std::vector<CollectOutcome>& outcomes, const std::string& into) {
  Json list = Json::array();
  for (const CollectOutcome& outcome : outcomes) list.push_back(to_json(outcome));
  return {{"into", into}, {"stores", list}};
}

}  // namespace flyball
