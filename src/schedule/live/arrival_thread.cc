#include "schedule/live/arrival_thread.h"

#include <algorithm>

#include "base/clock.h"

namespace flyball {

ArrivalThread::ArrivalThread(LiveServing& serving, size_t service, const InferenceRunner& runner,
                             std::unique_ptr<ArrivalSource> source) {
  thread_ = std::thread([this, &serving, service, &runner, source = std::move(source)] {
    constexpr int64_t look_ns = 50'000'000;
    const int64_t began_ns = monotonic_ns();
    while (const auto next = source->next_ns()) {
      const int64_t at_ns = began_ns + *next;
      while (!ended_ && monotonic_ns() + look_ns < at_ns) sleep_until_ns(monotonic_ns() + look_ns);
      if (ended_) return;
      sleep_until_ns(at_ns);
      if (!serving.ready()) return;  // a drain ends the source
      serving.submit(service, runner.example(1));
    }
  });
}

ArrivalThread::~ArrivalThread() {
  ended_ = true;
  thread_.join();
}

}  // namespace flyball
