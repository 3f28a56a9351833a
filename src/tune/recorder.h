// Measures a trial, or answers it from the store when it was measured under the same conditions.
#pragma once

#include <map>

#include "profile/profiler.h"
#include "store/store.h"

namespace flyball {

class Recorder {
 public:
  /// `store` may be null: nothing is kept. `fresh` measures again what the store holds.
  Recorder(Profiler& profiler, Store* store, int64_t run, bool fresh)
      : profiler_(profiler), store_(store), run_(run), fresh_(fresh) {}

  struct Recorded {
    Measurement measurement;
    bool from_store = false;
  };
  /// The k-th call for a configuration takes the k-th stored measurement of it, so that a resumed
  /// run sees what the interrupted one saw. What is measured is kept before this returns.
  Result<Recorded> measure(size_t config, bool repeated);

  double measuring_seconds() const { return measuring_s_; }

 private:
  Profiler& profiler_;
  Store* store_;
  int64_t run_;
  bool fresh_;
  std::map<size_t, size_t> calls_;
  double measuring_s_ = 0;
};

}  // namespace flyball
