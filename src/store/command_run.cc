#include "store/command_run.h"

namespace flyball {

Result<int64_t> begin_or_resume(Store& store, const RunRequest& request) {
  FLYBALL_ASSIGN(const auto interrupted, store.interrupted_run(request));
  if (!interrupted) return store.begin_run(request);
  FLYBALL_CHECK(store.resume_run(interrupted->id));
  return interrupted->id;
}

Status end_run(Store& store, int64_t run, const Status& how, const std::string& answer) {
  if (how.ok()) return store.finish_run(run, RunState::done, answer);
  const bool stopped = how.error().code == Code::interrupted;
  return store.finish_run(run, stopped ? RunState::interrupted : RunState::failed, "");
}

}  // namespace flyball
