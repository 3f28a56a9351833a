// What a program that owns its loop says to `flyball study`: one JSON object a line, and one answer
// to each (docs/json.md).
#pragma once

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "answers/request.h"

namespace flyball {

/// {"do": "create", …}: what is to be found. Everything but the axes may be left out.
struct StudyCreate {
  Request request;         ///< objective, budgets, strategy, predictor, seed, samples
  std::vector<Axis> axes;  ///< all of the job: the program sets them itself
  Settings usual;          ///< what it does today; of axes not named, their first value
  std::string name;        ///< kept under it, and known again; "": measured for this time only
  std::vector<std::string> argv;  ///< of the program; files it names are conditions of its trials
  Phase phase = Phase::train;
  bool wait = false, force = false;  ///< where another session measures (device/measuring.h)
};

/// {"do": "tell", "trial": N, …}: what came of a trial. One of times and failure.
struct StudyTell {
  size_t trial = 0;
  std::vector<double> minibatches_ms;  ///< one: a figure that the program made itself
  std::optional<double> power_w;
  Figures figures;
  std::string failure;
};

struct StudyAsk {};   ///< {"do": "ask"}: the next trial, or that there is none
struct StudyBest {};  ///< {"do": "best"}: the best so far
struct StudyAnswer {
};  ///< {"do": "answer"}: the document of `tune --json`, once the search has ended

using StudyMessage = std::variant<StudyCreate, StudyTell, StudyAsk, StudyBest, StudyAnswer>;

/// Longest line that is read.
inline constexpr size_t longest_study_line = 16 << 20;

/// Errors (invalid_argument): no JSON, an unknown `do`, an unknown or missing key, a value that is
/// no such thing; each names the key.
Result<StudyMessage> parse_study_message(const std::string& line);

}  // namespace flyball
