// What a program in the background prints, of which the newest part is kept.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "base/status.h"

namespace flyball {

/// A pipe that a thread of ours empties, at most fifty times a second, so that a talkative program
/// costs little beside what is measured and neither fills a disk nor waits.
class OutputLog {
 public:
  /// Keeps the newest `keep` bytes. Error `io`: no pipe to be had.
  static Result<std::unique_ptr<OutputLog>> open(size_t keep = size_t{1} << 20);
  ~OutputLog();  ///< closes the pipe: who still writes into it gets an error
  OutputLog(const OutputLog&) = delete;
  OutputLog& operator=(const OutputLog&) = delete;

  /// The end that a program writes into.
  int descriptor() const { return write_end_; }
  /// What has come so far, from the first whole line that was kept; a line in front says how much
  /// was dropped before it.
  std::string text();

 private:
  OutputLog(int read_end, int write_end, int wake, size_t keep);
  void run();
  void drain();

  int read_end_, write_end_, wake_;
  size_t keep_;
  std::mutex mutex_;
  std::string kept_;
  uint64_t dropped_ = 0;
  std::thread thread_;
};

}  // namespace flyball
