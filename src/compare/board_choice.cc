#include "compare/board_choice.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "base/figure.h"
#include "base/text.h"
#include "base/units.h"
#include "compare/ratio.h"

namespace flyball {
namespace {

constexpr std::array objectives = {BoardObjective::time, BoardObjective::energy,
                                   BoardObjective::price};

std::string time_text(double seconds) {
  return upper_seconds({seconds});
}
std::string energy_text(double joules) {
  return number(joules) + " J";
}

/// What misses a limit, so that it may be typed as one; a limit as it was typed.
std::string typed(double value, const char* unit) {
  return upper_figure(value) + " " + unit;
}
std::string limit_words(double limit, const std::string& unit) {
  return as_typed(limit) + " " + unit;
}

/// What must be known for a figure of an epoch.
struct Needs {
  bool samples = false, power = false, price = false;
};

Needs needs_of(BoardObjective objective) {
  return {true, objective != BoardObjective::time, objective == BoardObjective::price};
}

/// One limit of an epoch.
struct EpochLimit {
  std::optional<double> most;
  const char* what;  ///< "epoch", "power": what is too much
  Needs needs;
  std::function<std::optional<double>(const BoardFigures&)> value;
  std::string unit;
};

std::optional<double> known(double value) {
  return std::isfinite(value) ? std::optional(value) : std::nullopt;
}

class Chooser {
 public:
  Chooser(std::span<const ComparedNetwork> networks, const PriceList& prices,
          const BoardLimits& limits, BoardObjective objective)
      : networks_(networks), prices_(prices), limits_(limits), objective_(objective) {}

  /// What keeps the board from being chosen.
  std::vector<std::string> misses(const ComparedBoard& board) const {
    std::vector<std::string> all = cannot_run(board);
    for (const EpochLimit& limit : epoch_limits(board)) {
      const std::string missed = limit.most ? miss_of(board, limit) : "";
      if (!missed.empty()) all.push_back(missed);
    }
    const std::string dear = too_dear(board);
    if (!dear.empty()) all.push_back(dear);
    for (size_t i = 0; all.empty() && !value(board) && i < networks_.size(); ++i)
      if (const std::string what = unknown(board, i, needs_of(objective_)); !what.empty())
        all.push_back(what);
    return all;
  }

  /// What is to be small, over all networks; nothing where it is not known of one of them.
  std::optional<double> value(const ComparedBoard& board) const {
    std::vector<double> values;
    for (const BoardFigures& figures : board.figures) {
      const auto one = objective_ == BoardObjective::time     ? known(figures.epoch_s())
                       : objective_ == BoardObjective::energy ? known(figures.epoch_j())
                                                              : price(board, figures);
      if (!one) return std::nullopt;
      values.push_back(*one);
    }
    const auto mean = mean_ratio(values);
    return mean ? std::optional(mean->mean) : std::nullopt;
  }

 private:
  std::optional<double> price(const ComparedBoard& board, const BoardFigures& figures) const {
    return epoch_price(board, figures, prices_);
  }

  std::vector<EpochLimit> epoch_limits(const ComparedBoard& board) const {
    return {{limits_.deadline_s, "epoch", needs_of(BoardObjective::time),
             [](const BoardFigures& f) { return known(f.epoch_s()); }, "s"},
            {limits_.power_w,
             "power",
             {.power = true},
             [](const BoardFigures& f) { return known(f.known.power_w); },
             "W"},
            {limits_.energy_j, "energy of an epoch", needs_of(BoardObjective::energy),
             [](const BoardFigures& f) { return known(f.epoch_j()); }, "J"},
            {limits_.epoch_price ? std::optional(limits_.epoch_price->amount) : std::nullopt,
             "price of an epoch", needs_of(BoardObjective::price),
             [this, &board](const BoardFigures& f) { return price(board, f); }, prices_.currency}};
  }

  /// What is not known of it that is needed; "" where all is.
  std::string unknown(const ComparedBoard& board, size_t network, Needs needs) const {
    const BoardFigures& figures = board.figures[network];
    const std::string& name = networks_[network].name;
    if (needs.samples && !(figures.minibatches > 0))
      return fmt::format("the samples of an epoch of {} are not known (--samples)", name);
    if (needs.power && !figures.has_power()) return fmt::format("power of {} is not known", name);
    return needs.price && !prices_.of(board.name) ? "its list price is not known" : "";
  }

  std::vector<std::string> cannot_run(const ComparedBoard& board) const {
    std::vector<std::string> all;
    for (size_t i = 0; i < networks_.size(); ++i)
      if (!board.figures[i].has_time())
        all.push_back(fmt::format("{}: {}", networks_[i].name, board.figures[i].missing));
    return all;
  }

  // The network that misses it by most; one whose value is not known misses it, too.
  std::string miss_of(const ComparedBoard& board, const EpochLimit& limit) const {
    std::string text;
    double most = *limit.most;
    for (size_t i = 0; i < networks_.size(); ++i) {
      if (!board.figures[i].has_time()) continue;
      const auto value = limit.value(board.figures[i]);
      if (!value) return unknown(board, i, limit.needs);
      if (*value <= most) continue;
      most = *value;
      text = fmt::format("{} of {}: {} of {}", limit.what, networks_[i].name,
                         typed(*value, limit.unit.c_str()), limit_words(*limit.most, limit.unit));
    }
    return text;
  }

  std::string too_dear(const ComparedBoard& board) const {
    if (!limits_.board_price) return "";
    const BoardPrice* price = prices_.of(board.name);
    if (!price) return unknown(board, 0, {.price = true});
    const double most = limits_.board_price->amount;
    if (price->price.amount <= most) return "";
    return fmt::format("list price: {} of {}", limit_words(price->price.amount, prices_.currency),
                       limit_words(most, prices_.currency));
  }

  std::span<const ComparedNetwork> networks_;
  const PriceList& prices_;
  const BoardLimits& limits_;
  BoardObjective objective_;
};

Status check_currency(const std::optional<Money>& limit, const PriceList& prices) {
  if (!limit || limit->currency == prices.currency) return {};
  return Error{Code::invalid_argument,
               fmt::format("a limit of {} cannot be compared with prices in {}", limit->text(),
                           prices.currency),
               fmt::format("say it in {}, or name a file in {} with --prices", prices.currency,
                           limit->currency)};
}

}  // namespace

const char* board_objective_name(BoardObjective objective) {
  switch (objective) {
    case BoardObjective::time:
      return "time";
    case BoardObjective::energy:
      return "energy";
    case BoardObjective::price:
      return "price";
  }
  return "";
}

Result<BoardObjective> parse_board_objective(const std::string& text) {
  for (const BoardObjective one : objectives)
    if (text == board_objective_name(one)) return one;
  return Error{Code::invalid_argument, fmt::format("there is no objective '{}'", text),
               "one of: time, energy, price"};
}

std::string objective_text(BoardObjective objective, double value, const std::string& currency) {
  switch (objective) {
    case BoardObjective::time:
      return time_text(value);
    case BoardObjective::energy:
      return energy_text(value);
    case BoardObjective::price:
      return Money{value, currency}.text();
  }
  return "";
}

bool BoardLimits::any() const {
  return deadline_s || power_w || energy_j || epoch_price || board_price;
}

std::string BoardLimits::text() const {
  std::vector<std::string> parts;
  const auto add = [&](const char* what, const std::string& most) {
    parts.push_back(fmt::format("{} ≤ {}", what, most));
  };
  if (deadline_s) add("epoch", limit_words(*deadline_s, "s"));
  if (power_w) add("power", limit_words(*power_w, "W"));
  if (energy_j) add("energy of an epoch", limit_words(*energy_j, "J"));
  if (epoch_price)
    add("price of an epoch", limit_words(epoch_price->amount, epoch_price->currency));
  if (board_price) add("board", limit_words(board_price->amount, board_price->currency));
  return join(parts, ", ");
}

std::optional<double> epoch_price(const ComparedBoard& board, const BoardFigures& figures,
                                  const PriceList& prices) {
  const BoardPrice* price = prices.of(board.name);
  if (!price || !std::isfinite(figures.epoch_j())) return std::nullopt;
  return prices.epoch_price(*price, figures.epoch_s(), figures.epoch_j()).amount;
}

Result<BoardChoice> choose_board(std::span<const ComparedBoard> boards,
                                 std::span<const ComparedNetwork> networks, const PriceList& prices,
                                 const BoardLimits& limits, BoardObjective objective) {
  FLYBALL_CHECK(check_currency(limits.epoch_price, prices));
  FLYBALL_CHECK(check_currency(limits.board_price, prices));
  const Chooser chooser(networks, prices, limits, objective);
  BoardChoice choice;
  for (size_t i = 0; i < boards.size(); ++i) {
    choice.misses.push_back(chooser.misses(boards[i]));
    if (!choice.misses.back().empty()) continue;
    const double value = *chooser.value(boards[i]);
    if (choice.board && value >= choice.value) continue;
    choice.board = i;
    choice.value = value;
  }
  return choice;
}

}  // namespace flyball
