#include "tune/study.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "answers/tune_json.h"
#include "base/json.h"
#include "base/text.h"
#include "history/history.h"
#include "profile/trials/begun_measurement.h"
#include "profile/trials/trial_conditions.h"
#include "profile/trials/trial_figures.h"
#include "space/highest_mode.h"
#include "tune/study_protocol.h"

namespace flyball {
namespace {

constexpr const char* told_by_program = "told by the program";

const Error gone{Code::interrupted, "the program has left its study", ""};

std::string file_name(const std::string& word) {
  return std::filesystem::path(word).filename().string();
}

// "python3", "/opt/venv/bin/python3.11", "pypy3".
bool is_python(const std::string& word) {
  const std::string name = file_name(word);
  const std::string stem = name.substr(0, name.find_last_not_of("0123456789.") + 1);
  return stem == "python" || stem == "pypy";
}

// "train.py" of {"python3", "-u", "/home/me/train.py", "--fast"}, "learn" of {"./learn", "--fast"}.
std::string title_of(const StudyCreate& create) {
  if (!create.name.empty()) return create.name;
  auto word = create.argv.begin();
  if (word != create.argv.end() && is_python(*word))
    word = std::find_if(word + 1, create.argv.end(),
                        [](const std::string& option) { return !option.starts_with('-'); });
  if (word == create.argv.end()) word = create.argv.begin();
  const std::string title = word == create.argv.end() ? "" : file_name(*word);
  return title.empty() ? "study" : title;
}

// Behind the program, and behind the script of an interpreter: what they name decides what a trial
// does, too, and a study's name does not say it.
std::string arguments_of(const StudyCreate& create) {
  std::vector<std::string> words(create.argv);
  if (!words.empty()) words.erase(words.begin());
  return join(words, " ");
}

Conditions conditions_of(const StudyCreate& create, const Conditions& settings) {
  return combine({settings,
                  process_conditions(),
                  program_conditions(create.argv),
                  {{power_condition, told_by_program}, {"arguments", arguments_of(create)}}});
}

ProfilerInfo info_of(const StudyCreate& create, const ProfilerInfo& board) {
  ProfilerInfo info = board;
  info.conditions = conditions_of(create, board.conditions);
  info.workload = title_of(create);
  info.phase = create.phase;
  info.power_total = create.request.needs_power() ? "told" : "";
  info.power_gap.clear();
  info.live = true;
  info.told = true;
  return info;
}

Json or_null_text(const std::string& text) {
  return text.empty() ? Json(nullptr) : Json(text);
}

}  // namespace

// Its "board" is the program: measuring is to wait until the program has told.
class Study final : public Profiler {
 public:
  Study(const StudyLine& line, const StudyCreate& create, const StudyBoard& board,
        const MeasuringOptions& measuring)
      : line_(line),
        create_(create),
        board_(board),
        measuring_(measuring),
        info_(info_of(create, board.info)),
        space_(Space::grid(create.axes)) {
    std::vector<double> usual;
    for (const Axis& axis : space_.axes()) usual.push_back(create.usual.at(axis.name));
    default_ = space_.find(usual).value_or(0);
    info_.default_is_highest = is_highest(space_, default_, space_.axes());
  }

  const ProfilerInfo& info() const override { return info_; }
  const Space& space() const override { return space_; }
  size_t default_config() const override { return default_; }
  std::string default_reason() const override { return "what the program does today"; }

  /// May be refused; nothing is asked yet.
  Status prepare() {
    FLYBALL_ASSIGN(const SharedBoard board, share_board(*this));
    FLYBALL_ASSIGN(const Asked asked, tune_problem(create_.request, board));
    FLYBALL_ASSIGN(const auto session, Session::open(board.roles, create_.request, nullptr));
    FLYBALL_CHECK(session->check(asked.problem));
    history_.emplace(asked.problem);
    return {};
  }

  /// The search, from the first message that asks to its end.
  Status search(Store* store, const std::string& command) {
    FLYBALL_ASSIGN(auto session, begin_measuring());
    if (board_.settings) info_.conditions = conditions_of(create_, board_.settings());
    Request request = create_.request;
    request.command = command;
    // Without a name nobody can mean an earlier study; nor does one that asks for all and does not
    // say of which program, as in a notebook: what was left may be of what it was before.
    request.anew = create_.name.empty() || (create_.argv.empty() && request.fresh);
    request.fresh = request.fresh || request.anew;
    auto result =
        tune(*this, store, request, [this](const SessionEvent& event) { on_event(event); });
    if (!result) return result.error();
    session.reset();  // others may measure now
    answer_ = to_json(*result);
    run_ = result->run;
    const Json end = finished();
    if (asked_) line_.write(end);
    while (const auto message = next())
      if (std::holds_alternative<StudyAsk>(*message)) {
        line_.write(end);
      } else {
        answer(*message);
      }
    return gone;
  }

  Result<Measurement> measure(size_t config) override {
    ++number_;
    const Json trial = {{"trial",
                         {{"number", number_},
                          {"config", space_.settings(config)},
                          {"reason", reason_},
                          {"repeat", repeat_}}}};
    if (asked_) line_.write(trial);
    asked_ = false;
    while (const auto message = next()) {
      if (std::holds_alternative<StudyAsk>(*message)) {
        line_.write(trial);
      } else if (const auto* told = std::get_if<StudyTell>(&*message);
                 told && told->trial == number_) {
        if (const Status complete = check_complete(*told); !complete.ok()) {
          refuse(complete.error());
          continue;
        }
        told_ = number_;
        return measurement_of(config, *told);
      } else {
        answer(*message);
      }
    }
    return gone;
  }

 private:
  // A message that can be read; what cannot is answered at once.
  std::optional<StudyMessage> next() {
    if (told_) line_.write(Json{{"told", *told_}});
    told_.reset();
    while (const auto text = line_.read()) {
      auto message = parse_study_message(*text);
      if (message) return std::move(*message);
      refuse(message.error());
    }
    return {};
  }

  void refuse(const Error& error) const { line_.write(Json{{"error", to_json(error)}}); }

  Status wait_for_ask() {
    while (const auto message = next()) {
      asked_ = std::holds_alternative<StudyAsk>(*message);
      if (asked_) return {};
      answer(*message);
    }
    return gone;
  }

  // From the first ask on: who is refused may ask again.
  Result<std::shared_ptr<MeasuringSession>> begin_measuring() {
    MeasuringOptions options = measuring_;
    options.wait = create_.wait || (options.wait && !create_.force);
    options.force = create_.force || (options.force && !create_.wait);
    options.caller = Caller::program;
    options.cancelled = line_.gone;
    options.waiting = [this](const std::string& holder) { line_.write(Json{{"waiting", holder}}); };
    while (true) {
      FLYBALL_CHECK(wait_for_ask());
      auto session = MeasuringSession::begin(options);
      if (session || session.error().code == Code::interrupted) return session;
      refuse(session.error());
    }
  }

  // Does it tell what the study's budgets and objective need?
  Status check_complete(const StudyTell& told) const {
    if (!told.failure.empty() || told.power_w || !create_.request.needs_power()) return {};
    return Error{Code::invalid_argument,
                 fmt::format("trial {} is told without its power, which the study's budget or "
                             "objective needs",
                             told.trial),
                 "tell it with power_w, in W, or its failure"};
  }

  // Messages that mean the same at any time.
  void answer(const StudyMessage& message) const {
    if (std::holds_alternative<StudyBest>(message)) return line_.write(best());
    if (std::holds_alternative<StudyAnswer>(message)) {
      if (!answer_.is_null()) return line_.write(Json{{"answer", answer_}});
      return refuse({Code::conflict, "the search goes on", "ask and tell until it has finished"});
    }
    if (std::holds_alternative<StudyCreate>(message))
      return refuse(
          {Code::conflict, "there is a study already", "start `flyball study` once more"});
    const size_t trial = std::get<StudyTell>(message).trial;
    refuse({Code::conflict, fmt::format("trial {} is not the one that was asked", trial),
            answer_.is_null() && number_ > 0 ? fmt::format("trial {} is", number_)
                                             : "ask for a trial first"});
  }

  Json best() const {
    const auto& best = history_->best();
    Json json = {{"best", nullptr}, {"reason", "no trial was told"}};
    if (!best) return json;
    if (!best->outcome.feasible) {
      const std::string unheld = unheld_limits(figures_, create_.request.limits);
      json["reason"] = unheld.empty()
                           ? infeasible_error(history_->problem(), history_->readings()).message
                           : unheld;
      return json;
    }
    const size_t candidate = best->candidates.front();
    const Reading reading = history_->find(0, candidate)->value();
    return {{"best",
             {{"config", history_->problem().candidates->space(0).settings(candidate)},
              {"minibatch_ms", or_null(reading.minibatch_ms)},
              {"power_w", or_null(reading.power_w)},
              {"minibatch_j", or_null(reading.power_w * reading.minibatch_ms * 1e-3)}}}};
  }

  Json finished() const {
    return {{"finished", {{"reason", answer_["stopped"]}, {"run", or_null(run_)}}}};
  }

  void on_event(const SessionEvent& event) {
    if (const auto* asked = std::get_if<TrialAsked>(&event)) {
      reason_ = asked->reason;
      repeat_ = asked->repeat;
    }
    if (const auto* ended = std::get_if<TrialEnded>(&event)) {
      const Observation& trial = *ended->trial;
      if (!trial.measurement.failed()) figures_.push_back(trial.measurement.figures);
      history_->record(0, trial.candidate, reading_of(trial.measurement, create_.request.limits),
                       trial.measurement.failure);
    }
  }

  Measurement measurement_of(size_t config, const StudyTell& told) const {
    Measurement m = begin_measurement(info_, space_.trial(config, info_.workload, info_.phase));
    m.failure = told.failure;
    m.figures = told.figures;
    m.origin = Origin::told;
    m.stop_reason = told_by_program;
    if (told.power_w) {
      PowerReading power;
      power.mean_w = *told.power_w;
      power.total = "told";
      power.noise = unknown_noise;  // of one figure
      m.power = power;
    } else {
      m.power_gap = "the program told none";
    }
    if (told.minibatches_ms.size() == 1) m.minibatch_ms = told.minibatches_ms.front();
    m.noise = unknown_noise;
    if (told.minibatches_ms.size() < 2) return m;
    StoppingRule rule(stopping_of({}, m.trial));
    for (const double ms : told.minibatches_ms) {
      rule.add(ms);
      m.minibatches.push_back({0, 0, ms, 0});
    }
    take_times(rule, m);
    return m;
  }

  const StudyLine& line_;
  StudyCreate create_;
  StudyBoard board_;
  MeasuringOptions measuring_;
  ProfilerInfo info_;
  Space space_;
  size_t default_ = 0;
  std::vector<Figures> figures_;    ///< that were told
  std::optional<History> history_;  ///< what was told, for the best so far
  size_t number_ = 0;               ///< of the present trial
  bool asked_ = false;              ///< an ask waits for its answer
  std::optional<size_t> told_;      ///< a tell waits for its answer, until its trial is on disk
  std::string reason_;
  bool repeat_ = false;
  Json answer_;
  std::optional<int64_t> run_;
};

Status serve_study(const StudyLine& line, const StudyBoard& board, Store* store,
                   const std::string& command, const MeasuringOptions& measuring) {
  while (const auto text = line.read()) {
    const auto message = parse_study_message(*text);
    const auto* create = message ? std::get_if<StudyCreate>(&*message) : nullptr;
    std::optional<Study> study;
    const auto begun = [&]() -> Status {
      if (!message) return message.error();
      if (!create)
        return Error{Code::conflict, "there is no study yet", "begin with {\"do\": \"create\", …}"};
      return study.emplace(line, *create, board, measuring).prepare();
    }();
    if (!create || !begun.ok()) {
      line.write(Json{{"error", to_json(begun.error())}});
      continue;
    }
    line.write(Json{{"created",
                     {{"configurations", study->space().size()},
                      {"profiles", create->request.profiles},
                      {"workload", study->info().workload},
                      {"power_total", or_null_text(board.info.power_total)},
                      {"power_gap", or_null_text(board.info.power_gap)}}}});
    const Status how = study->search(store, command);
    if (!how.ok() && how.error().code != Code::interrupted) {
      line.write(Json{{"error", to_json(how.error())}});
      return how;
    }
    return {};
  }
  return {};
}

}  // namespace flyball
