// Who may use the accelerator next: inference minibatches of services and training minibatches take
// turns, one at a time. Pure decisions: time comes in with each call, nothing waits or computes.
//
// The rules (docs/live.md):
// - A training minibatch starts only where, by the upper quantile of its duration and of those of
//   the batches that wait, every request that waits is answered within its budget, and so is one
//   that arrives at each service in this moment; and where the queues hold what will come
//   meanwhile.
// - And only where no service has as many requests waiting as its batches wait for: how many is
//   weighed, as told (Preference), between a soon answer and training (batching.h).
// - Otherwise requests are served at once, those of the earliest deadline first, in a batch of all
//   that wait up to the service's largest: nothing idles while there is something that may run.
// - Two trainings share the time that they are given by their shares; one that does not fit gives
//   way to one that does.
// - A batch holds requests of one shape; a request is judged by what its own batch will take.
// - A queue is bounded. A request that cannot be answered within its budget is refused at once, or
//   served late where the service says so. Training stops first: while one is late, none starts.
// - A service that refuses everybody takes one in a while all the same: durations are learned of
//   what runs alone.
#pragma once

#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "schedule/batching.h"
#include "schedule/duration_model.h"
#include "schedule/request_queue.h"
#include "schedule/service.h"

namespace flyball {

enum class Overload : uint8_t { refuse, late };
const char* overload_name(Overload overload);  ///< "refuse", "late"
Result<Overload> parse_overload(const std::string& name);

/// How requests may wait at each service.
struct QueueRules {
  size_t bound = 4096;  ///< requests that may wait
  Overload overload = Overload::refuse;
};

struct ServiceRules {
  std::string name;
  int64_t latency_ns = 0;     ///< budget
  int64_t largest_batch = 1;  ///< samples: the planned batch size
  QueueRules queue{};
  double rate_hz = 0;  ///< requests per second that are expected before any have come; 0: not known
  int64_t margin_ns = 0;  ///< of the budget: what is kept for the way to the client and back
  int64_t gathers = 0;    ///< samples that a batch waits for while something trains; 0: weighed

  /// From a request's arrival to its answer here, at most.
  int64_t within_ns() const { return latency_ns - margin_ns; }
};

struct TrainingRules {
  std::string name;
  double share = 1;  ///< of the time that trainings are given, against the others' shares
  /// Its minibatches start where nobody waits while nothing is known of how long they take: nobody
  /// measures them beforehand. Else none starts.
  bool untimed = false;
};

/// How what was decided on has ended.
enum class Ending : uint8_t {
  whole,
  unusual,  ///< whole, but it took longer than those after it will: nothing is learned of that
  failed,   ///< its time is gone, and nothing came of it
};

/// May a request wait?
struct Admission {
  RefusalReason refused = RefusalReason::none;
  int64_t retry_after_ns = 0;  ///< of a refusal
};

enum class Act : uint8_t {
  infer,  ///< run batch() of service `who` now
  train,  ///< run one minibatch of training `who` now
  wait,   ///< for an arrival
  stop,   ///< drained: nothing is left to do
};

struct Decision {
  Act act = Act::wait;
  size_t who = 0;
  int64_t samples = 0;  ///< of an inference minibatch
};

class Scheduler {
 public:
  Scheduler(std::vector<ServiceRules> services, std::vector<TrainingRules> trainings,
            DurationOptions durations = {}, Preference preference = {});
  /// Before the first decision, or between two.
  void add(ServiceRules rules);
  void add(TrainingRules rules);
  /// Another one takes the place of one that has left; what waited there is dropped.
  void replace(size_t service, ServiceRules rules);
  void replace(size_t training, TrainingRules rules);

  /// What was measured before; without it a training does not start, and a batch is taken to need
  /// no time until one has run.
  DurationModel& inference_time(size_t service) { return services_[service].duration; }
  DurationModel& training_time(size_t training) { return trainings_[training].duration; }
  const DurationModel& inference_time(size_t service) const { return services_[service].duration; }
  const DurationModel& training_time(size_t training) const {
    return trainings_[training].duration;
  }

  /// A request arrives; it waits, or is refused. Those of equal `shape` may share a batch.
  Admission arrive(size_t service, uint64_t id, int64_t samples, int64_t now_ns,
                   uint64_t shape = 0);
  /// The accelerator is free: what now? What is decided has begun.
  Decision decide(int64_t now_ns);
  /// The requests of the last inference minibatch that was decided on.
  std::span<const Waiting> batch() const { return batch_; }
  /// What was decided on has ended.
  void ended(int64_t now_ns, Ending ending = Ending::whole);

  /// Has a training a minibatch to run? At first it has. One that wants again keeps at most a
  /// second of what the others had meanwhile, whoever of them wants at that moment.
  void set_wants(size_t training, bool wants);
  bool wants(size_t training) const { return trainings_[training].wants; }
  /// May a request come to a service? At first it may. Nothing is kept free for one that none can
  /// come to.
  void set_attended(size_t service, bool attended) { services_[service].attended = attended; }
  bool attended(size_t service) const { return services_[service].attended; }
  /// Of the trainings that want, has another one had more of the time that it is given?
  bool behind(size_t training) const;

  /// Something else has the accelerator from now on, for so long as far as is known: a change of
  /// mode, a checkpoint. Who arrives meanwhile is judged by it.
  void occupy(int64_t now_ns, double ns);
  void release() { occupied_until_ns_ = announced_ns_ = 0; }
  /// What is certain to take the accelerator for so long once what runs has ended, until it does;
  /// 0: nothing is.
  void announce(double ns) { announced_ns_ = occupied_until_ns_ > 0 ? 0 : ns; }
  /// When the accelerator will be free of what is under way, by the upper quantile.
  double free_ns(int64_t now_ns) const;

  /// From now on no request is taken and no training starts; what waits is answered.
  void drain() { draining_ = true; }
  bool draining() const { return draining_; }

  /// Would every deadline be kept if something of this length ran from now on?
  bool fits(int64_t now_ns, double run_ns) const;
  /// Why training cannot run whatever the load: the service whose budget is shorter than a training
  /// minibatch and an answer take at their quantile. −1: it can.
  int too_short_for(size_t training) const;

  /// Has a request been refused for its latency since then?
  bool overloaded_since(int64_t since_ns) const { return overloaded_ns_ >= since_ns; }

  size_t waiting(size_t service) const { return services_[service].queue.size(); }
  /// Samples that a service's batches wait for while something trains.
  int64_t gathers(size_t service) const { return services_[service].gathers; }
  const ServiceRules& service(size_t service) const { return services_[service].rules; }
  const TrainingRules& training(size_t training) const { return trainings_[training].rules; }
  size_t services() const { return services_.size(); }
  size_t trainings() const { return trainings_.size(); }
  /// A service's largest batch from now on, as a new plan has it.
  void set_largest_batch(size_t service, int64_t samples);
  /// What is done next begins anew: the mode has changed, durations are of another one.
  void replace_durations(size_t service, DurationModel duration);
  void replace_training_duration(size_t training, DurationModel duration);

 private:
  static constexpr int64_t shortest_patience_ns = 1'000'000'000;

  struct Service {
    ServiceRules rules;
    DurationModel duration;
    RequestQueue queue{};
    std::vector<int64_t> arrivals{};  ///< of the last requests, a ring
    size_t next_arrival = 0;
    double samples = 1;   ///< of a request, mean of the last ones
    int64_t gathers = 1;  ///< samples that a batch waits for where something trains
    bool attended = true;
    int64_t refusing_since_ns = -1;  ///< everybody, for what its answer takes; −1: it does not
    int64_t patience_ns = shortest_patience_ns;  ///< so long, then one is taken all the same
    bool tried = false;                          ///< one was: what it takes is all that counts
  };
  struct Training {
    TrainingRules rules;
    DurationModel duration;
    double used_ns = 0;  ///< ÷ share: who has had the least comes first
    bool wants = true;
    /// Infinite where it may not start.
    double run_ns() const { return rules.untimed && !duration.known() ? 0 : duration.upper_ns(1); }
  };
  struct Cursor;

  double answer_ns(const Service& service, int64_t samples) const;
  double rate_hz(const Service& service, int64_t now_ns) const;
  void weigh_batches(int64_t now_ns);
  bool gathered(const Service& service) const;
  double arrivals_within(const Service& service, int64_t now_ns, double run_ns) const;
  size_t earliest() const;
  bool start_training(int64_t now_ns, Decision& decision);
  Decision start_inference(int64_t now_ns);
  int64_t next_batch(const Service& service, int64_t now_ns) const;
  double before_ns(const Service& service, int64_t deadline_ns) const;
  double other_shapes_ns(const Service& service, uint64_t shape, int64_t deadline_ns) const;
  double late_ns(size_t service, int64_t samples, uint64_t shape, int64_t now_ns) const;
  bool doubts_refusals(Service& service, int64_t samples, int64_t now_ns);

  DurationOptions durations_;
  Preference preference_;
  int weighed_for_ = 0;  ///< arrivals until batches are weighed again
  std::vector<Service> services_;
  std::vector<Training> trainings_;
  double virtual_ns_ = 0;  ///< used_ns of the training that was to begin, the most so far
  std::vector<Waiting> batch_;
  Decision running_;
  bool busy_ = false, draining_ = false;
  int64_t began_ns_ = 0;
  double busy_until_ns_ = 0;  ///< by the upper quantile
  double occupied_until_ns_ = 0, announced_ns_ = 0;
  int64_t idle_since_ns_ = -1;  ///< it waits for an arrival; −1: it does not
  int64_t overloaded_ns_ = -1;  ///< when a request was last refused for its latency
};

/// Will a change of mode that takes so long be made as soon as the accelerator is free? Where one
/// that is longer than a latency budget breaks it whenever it comes, where a deadline is lost
/// already or requests have been refused meanwhile, or where it has waited for half a minute.
/// One that may only be made in a gap waits, however long.
bool switch_cannot_wait(const Scheduler& scheduler, int64_t now_ns, int64_t since_ns,
                        double switch_ns, bool only_in_gap = false);
/// Else it waits for a gap that holds it.
bool switch_waits(const Scheduler& scheduler, int64_t now_ns, int64_t since_ns, double switch_ns,
                  bool only_in_gap = false);

}  // namespace flyball
