// A record of what a sampler reads, written by a thread of its own while it does.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "recording/sample_recorder.h"
#include "telemetry/sampling/sampler.h"

namespace flyball {

/// Every half second what is new goes to the disk: a process that is killed loses less than a
/// second. Where it cannot be written, sampling goes on; finish() says so.
class SamplerRecording final : public SamplingListener {
 public:
  /// `info`: all but when it started. The file is made when the sampler starts.
  SamplerRecording(std::filesystem::path file, RecordInfo info);
  ~SamplerRecording() override;

  Status begin(const Sampler& sampler) override;
  void end() override;

  /// At a monotonic time; also after the end, before finish().
  void mark(int64_t monotonic_ns, const std::string& name);
  /// All runs that are recorded; before finish(), which writes them.
  void set_runs(std::vector<RecordedRun> runs);
  /// Has something failed so far?
  bool failed() const;
  /// Processor time of the thread, in s.
  double cpu_seconds() const;
  /// The same with that of the sampler; after the end.
  double own_cpu_seconds() const;
  /// After the end: closes the file. Error: why it could not be written; nothing was sampled.
  Status finish(const std::string& stopped);

 private:
  struct Inside;
  std::unique_ptr<Inside> inside_;
};

}  // namespace flyball
