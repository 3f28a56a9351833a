#include "schedule/live/arrival_thread.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/clock.h"

namespace flyball {
namespace {

constexpr int64_t end_look_ns = 50'000'000;
constexpr size_t few_requests = 100;  // of fewer no hundredth can be told

}  // namespace

ArrivalThread::ArrivalThread(LiveServing& serving, size_t service, const InferenceRunner& runner,
                             std::unique_ptr<ArrivalSource> source) {
  thread_ = std::thread([this, &serving, service, &runner, source = std::move(source)] {
    submit_all(serving, service, runner, *source);
  });
}

ArrivalThread::~ArrivalThread() {
  end();
}

void ArrivalThread::end() {
  ended_ = true;
  if (thread_.joinable()) thread_.join();
}

// A request is made before it is due.
void ArrivalThread::submit_all(LiveServing& serving, size_t service, const InferenceRunner& runner,
                               ArrivalSource& source) {
  const int64_t began_ns = monotonic_ns();
  while (const auto next = source.next_ns()) {
    const int64_t due_ns = began_ns + *next;
    InferRequest request = runner.example(1);
    while (!ended_ && monotonic_ns() + end_look_ns < due_ns)
      sleep_until_ns(monotonic_ns() + end_look_ns);
    if (ended_) return;
    sleep_until_ns(due_ns);
    if (!serving.ready()) return;  // a drain ends the source
    late_.add(std::max<int64_t>(0, monotonic_ns() - due_ns));
    serving.submit(service, std::move(request));
  }
}

std::string ArrivalThread::late_note(const ServiceResult& served) const {
  const double late_ms = late_.quantile_ms(0.99);
  if (late_.count() < few_requests || !is_sent_late(late_ms, served.latency.quantile_ms(0.5)))
    return "";
  return fmt::format(
      "{}: 1 % of the requests came {:.3g} ms or more after they were due: this machine is busy, "
      "and that does not stand in the latencies",
      served.name, late_ms);
}

}  // namespace flyball
