#include "store/command_run.h"

namespace flyball {

Status end_run(Store& store, int64_t run, const Status& how, const std::string& answer) {
  if (how.ok()) return store.finish_run(run, RunState::done, answer);
  const bool stopped = how.error().code == Code::interrupted;
  return store.finish_run(run, stopped ? RunState::interrupted : RunState::failed, "");
}

}  // namespace flyball
