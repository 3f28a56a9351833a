// The accelerator, granted minibatch by minibatch to processes that ask: one more Executor of the
// scheduler that serves and trains within this process, whose minibatches are run by others.
//
// - A service's asking is a request that arrives, due within its latency budget; a training may be
//   granted a turn only while one of its processes asks. One process at a time has the accelerator.
// - A turn ends by the client's word, or with its socket. One that takes longer than
// `longest_turn_s`
//   and `overrun_factor` times the upper quantile of its client's turns is taken away: the
//   accelerator is granted to others, and the client's word of its end is taken when it comes.
// - A training that has had less than its share, and asks again sooner than the accelerator's
// idling
//   costs, is waited for: whoever runs cannot ask meanwhile, and shares would else be alternation.
#pragma once

#include <atomic>
#include <deque>
#include <functional>
#include <limits>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "broker/broker_result.h"
#include "broker/client_load.h"
#include "broker/turn_sockets.h"
#include "schedule/execution.h"

namespace flyball {

/// Nothing is refused: a turn that cannot be in time is granted late.
inline constexpr QueueRules turn_queue{.bound = std::numeric_limits<int32_t>::max(),
                                       .overload = Overload::late};

struct BrokerOptions {
  double seconds = 0;  ///< then it ends; 0: when it is stopped
  double longest_turn_s =
      1;  ///< a turn is never taken away earlier; a client's first has ten times that
  double overrun_factor = 4;
  double greeting_s = 10;  ///< a client that has not said who it is by then is closed
  const std::atomic<bool>* stop = nullptr;  ///< may be null
  HeldMode* held = nullptr;                 ///< is set again where it was put back; may be null
  /// Called with a line for people, such as who has lost a turn.
  std::function<void(const std::string&)> tell{};
  /// Called with each turn that a service asks for, of those that were expected; must not block.
  std::function<void(size_t service, int64_t now_ns)> asked{};
  RunningPlan plan{};  ///< of those that are expected, where there is one
};

class Broker final : public Executor {
 public:
  Broker(TurnSockets sockets, BrokerOptions options);

  /// Before run(), trainings and services each in the order of the plan: who will come, and how
  /// often a service will ask (0: not known). Its name is kept for it.
  void expect(const TurnRole& role, double rate_hz = 0);

  /// Grants turns until it is stopped or its time is over; a turn that is under way then may end.
  void run();
  /// What came of it so far, from any thread; but for power.
  BrokerResult result() const;
  /// The same for whoever attributes power (schedule/live/live_power.h).
  ServingResult serving() const;
  /// From any thread: a new plan, followed between two turns (Execution::change()).
  void change(PlanChange change);
  /// From any thread: the part of the time that trainings may have from now on; 1: all that is left
  /// by services. Told as a new plan.
  void limit_training(double part, const std::string& why);
  JobDurations durations() const;
  int64_t began_ns() const;
  /// Changes whenever a client comes or goes.
  size_t comings() const;
  /// A client at the other end of a pair of sockets; before run().
  int adopt(OwnedSocket socket);

 private:
  enum class State : uint8_t { greeting, idle, waiting, running, overran };
  struct Client {
    State state = State::greeting;
    size_t job = 0;
    int64_t since_ns = 0;  ///< it has been in this state
    int64_t done_ns = 0;   ///< end of its last turn; 0: none has ended
    bool fresh = true;     ///< it has had no turn
  };
  struct Job {
    size_t connected = 0;
    bool expected = false;      ///< its name is kept
    int64_t left_ns = 0;        ///< when the last of its connections went
    std::deque<int> waiting{};  ///< of a training
    size_t overruns_in_a_row = 0;
    double gap_ns = 0;  ///< typical, between a turn and the next asking; 0: not known
    std::optional<size_t> kept_out_by{};  ///< of a training: whose latency budget holds no turn
    std::string kept_out{};               ///< the same in words
  };
  struct Turn {
    int client = 0;
    Decision what{};
    int64_t began_ns = 0, limit_ns = 0;
  };

  int64_t now_ns() const override;
  bool look() override;
  void wait() override;
  void run(const Decision& what) override;
  bool switches(const PlanChange& change) const override;
  Status set_mode(const PlanChange& change) override;

  int64_t pump(int64_t until_ns);
  void pause_trainings(int64_t turn_ns);
  void end_pause();
  void tell_replans();
  void wait_for_the_one_behind();
  void take(const TurnEvent& event);
  void take_words(int id, Client& client, std::string_view text);
  void greet(int id, Client& client, const TurnRole& role);
  Result<size_t> job_of(const TurnRole& role);
  std::optional<size_t> free_place();
  void take_place(size_t job, const TurnRole& role, double rate_hz = 0);
  void ask(int id, Client& client);
  void done(Client& client, int64_t synchronize_ns);
  void done_late(Client& client);
  void leave(int id);
  void expel(int id, TurnRefusal refusal, const std::string& why);
  void expel_silent(int64_t now_ns);
  void note_kept_out();

  bool grant(const Decision& what);
  void end_turn(Ending ending);
  void take_turn_away();
  int64_t longest_turn_ns(const Client& client) const;
  DurationModel& durations_of(size_t job);
  bool ends() const;
  void tell_of_client(const std::string& line);
  TurnClientResult& figures(const Client& client) { return result_.clients[client.job]; }

  TurnSockets sockets_;
  BrokerOptions options_;
  mutable std::mutex mutex_;  ///< of all below but while run() waits for sockets
  Execution execution_;
  BrokerResult result_;
  std::vector<Job> jobs_;  ///< in the order of result_.clients
  std::map<int, Client> clients_;
  std::optional<Turn> turn_;
  std::optional<Decision> behind_;  ///< the training whose turn has just ended
  int64_t free_ns_ = 0;    ///< since when the accelerator could have been granted: waits that were
                           ///< decided on are none of its own cost
  int64_t looked_ns_ = 0;  ///< when the load of clients was last read
  int64_t looked_for_silent_ns_ = 0;
  std::vector<size_t> free_services_, free_trainings_;  ///< of the scheduler, whose names are gone
  size_t told_ = 0, told_replans_ = 0, comings_ = 0;
  double training_part_ = 1;     ///< of the time, that trainings may have
  int64_t paused_until_ns_ = 0;  ///< no training until then; 0: they may run
  ClientLoad load_;
};

}  // namespace flyball
