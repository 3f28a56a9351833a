#include "cli/recording/run_of_record.h"

#include <fmt/format.h>
#include <stdlib.h>

#include "cli/stored.h"
#include "store/command_run.h"

namespace flyball::cli {
namespace {

void note(const Error& error) {
  fmt::print(stderr, "note: no run of the store is joined to the record: {}\n", error.message);
}

}  // namespace

RunOfRecord::RunOfRecord(const RecordedCommand& recorded, const DeviceInfo& device,
                         const std::filesystem::path& file)
    : file_(std::filesystem::absolute(file).lexically_normal().string()) {
  ::setenv("FLYBALL_RECORD", file_.c_str(), 1);
  if (const Status begun = begin(recorded, device); !begun.ok()) note(begun.error());
}

Status RunOfRecord::begin(const RecordedCommand& recorded, const DeviceInfo& device) {
  FLYBALL_ASSIGN(store_, open_store(""));
  const Json request{{"recorded", recorded.kind}, {"workload", recorded.workload}};
  FLYBALL_ASSIGN(run_, store_->begin_run({.command = recorded.command,
                                          .request = request.dump(),
                                          .device = device.name,
                                          .fingerprint = device.fingerprint,
                                          .record = file_}));
  return {};
}

RunOfRecord::~RunOfRecord() {
  if (run_) (void)store_->finish_run(*run_, RunState::failed, "");
}

std::vector<RecordedRun> RunOfRecord::runs() {
  std::vector<RecordedRun> runs;
  if (!run_) return runs;
  const auto identity = store_->identity();
  const auto stored = store_->runs_in_record(file_);
  if (!identity || !stored) {
    note(identity ? stored.error() : identity.error());
    return runs;
  }
  for (const StoredRun& run : *stored)  // an earlier one was in a file that is there no more
    if (run.id >= *run_)
      runs.push_back({*identity, store_->path().string(), run.id, run.request.command});
  return runs;
}

void RunOfRecord::finish(const Json& answer) {
  if (!run_) return;
  const Status ended = end_run(*store_, *run_, {}, answer.dump());
  run_.reset();
  if (!ended.ok()) note(ended.error());
}

}  // namespace flyball::cli
