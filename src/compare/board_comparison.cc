#include "compare/board_comparison.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "base/distinct.h"
#include "base/statistics.h"
#include "base/text.h"
#include "boards/spec.h"
#include "cost/tabled_networks.h"

namespace flyball {
namespace {

std::string with_spread(const std::string& words, const std::string& spread) {
  return spread.empty() ? words : fmt::format("{} ({})", words, spread);
}

std::string total_of(const ComparedBoard& board) {
  const std::string words = board.power_words();
  return words.empty() ? "an unnamed total" : words;
}

class Comparer {
 public:
  explicit Comparer(BoardComparison& comparison) : all_(comparison) {}

  void add_ratios() {
    for (size_t board = 0; board < all_.boards.size(); ++board) {
      BoardRatios ratios;
      if (board != all_.baseline) ratios = against_baseline(board);
      ratios.text = sentence(board, ratios);
      all_.ratios.push_back(std::move(ratios));
    }
  }

  Status choose() {
    if (!all_.chooses) return {};
    FLYBALL_ASSIGN(all_.choice, choose_board(all_.boards, all_.question.networks, all_.prices,
                                             all_.limits, all_.objective));
    if (all_.choice->board) return {};
    std::string hint = all_.question.networks.size() > 1
                           ? "relax a limit, leave a network out, or name other boards"
                           : "relax a limit, or name other boards";
    if (all_.limits.power_w || all_.limits.energy_j)
      hint += "; lower modes of a board are chosen by `flyball fleet choose` and `flyball tune`";
    all_.infeasible =
        Error{Code::infeasible,
              fmt::format("no board meets every limit in its highest mode ({})", all_.asked()),
              std::move(hint)};
    return {};
  }

  /// Of a network that fits no board the answer is no, whatever was asked.
  void tell_what_fits_none() {
    for (size_t n = 0; n < all_.question.networks.size() && !all_.infeasible; ++n) {
      int64_t largest = 0;
      bool fits = false;
      for (size_t b = 0; b < all_.boards.size(); ++b) {
        fits = fits || figures(b, n).fits();
        if (figures(b, n).memory) largest = std::max(largest, figures(b, n).memory->largest_batch);
      }
      if (fits) continue;
      all_.infeasible =
          Error{Code::infeasible,
                fmt::format("{} fits none of these boards at batch size {:g}",
                            all_.question.networks[n].name, all_.question.batch_size),
                largest == 0 ? "name other boards"
                             : fmt::format("--batch-size {}; or name other boards", largest)};
    }
  }

  void add_notes() {
    if (all_.any([this](size_t b, size_t n) {
          return epoch_price(all_.boards[b], figures(b, n), all_.prices).has_value();
        }))
      all_.notes.push_back(fmt::format(
          "price of an epoch: list price spread over {:g} years of continuous use, plus energy at "
          "{:g} {}/kWh (assumptions of {})",
          all_.prices.life_years, all_.prices.electricity_per_kwh, all_.prices.currency,
          all_.prices.file));
    if (all_.any([this](size_t b, size_t n) { return all_.published_epoch(b, n) != nullptr; }))
      all_.notes.push_back(
          fmt::format("published: {}, {}", all_.published.title, all_.published.source));
    const std::string other = published_otherwise();
    if (!other.empty())
      all_.notes.push_back(fmt::format(
          "published epochs of {} are not known to be as long as here: compare their ratios, not "
          "their seconds",
          other));
    note_unlike_samples();
    note_unknown_prices();
    note_repeated_measurements();
    if (weighs_power() && totals().size() > 1)
      all_.notes.push_back(fmt::format("the power totals cover different parts of the boards: {}",
                                       join(totals(), "; ")));
    std::set<std::string> told;
    for (const ComparedBoard& board : all_.boards)
      for (const std::string& note : board.notes)
        if (told.insert(note).second) all_.notes.push_back(note);
  }

 private:
  /// A name that is misspelt in a file of prices prices nothing.
  void note_unknown_prices() {
    std::vector<std::string> unknown;
    for (const BoardPrice& price : all_.prices.prices) {
      const bool compared = std::ranges::count(all_.boards, price.board, &ComparedBoard::name) > 0;
      if (!compared && !find_board_spec(price.board)) unknown.push_back(price.board);
    }
    make_distinct(unknown);
    if (unknown.empty()) return;
    std::vector<std::string> known;
    for (const BoardSpec& board : board_specs()) known.push_back(board.id);
    all_.notes.push_back(fmt::format("{} prices boards that are not known: {}; known are: {}",
                                     all_.prices.file, join(unknown, ", "), join(known, ", ")));
  }

  /// What papers fed some networks is not what Flyball's own trials feed them.
  void note_unlike_samples() {
    for (size_t i = 0; i < networks(); ++i) {
      const std::string& name = all_.question.networks[i].name;
      const std::string fed = tabled_network(name, Phase::train).input;
      bool ours = false, theirs = false;
      for (const ComparedBoard& board : all_.boards) {
        if (!board.figures[i].has_time()) continue;
        const bool own = board.source == BoardSource::store &&
                         board.figures[i].known.provenance == Provenance::measured;
        (own ? ours : theirs) = true;
      }
      if (!fed.empty() && ours && theirs)
        all_.notes.push_back(fmt::format(
            "{}: simulated boards feed it samples of {}, as papers did and tables are taken to, "
            "trials of Flyball's own another size: their times are not of the same work",
            name, fed.find('x') == std::string::npos ? fed + " tokens" : fed));
    }
  }

  void note_repeated_measurements() {
    std::vector<std::string> medians;
    for (size_t i = 0; i < networks(); ++i)
      for (size_t board = 0; board < all_.boards.size(); ++board)
        if (const MeasuredMinibatch* one = all_.measured_minibatch(board, i); one && one->rows > 1)
          medians.push_back(fmt::format("{} on {} ({} rows)", one->network, one->board, one->rows));
    make_distinct(medians);
    if (!medians.empty())
      all_.notes.push_back(fmt::format("{} has several rows of one setting; medians stand for {}",
                                       all_.measured_file, join(medians, ", ")));
  }

  size_t networks() const { return all_.question.networks.size(); }
  const BoardFigures& figures(size_t board, size_t network) const {
    return all_.boards[board].figures[network];
  }

  /// First ÷ second board, over the networks of which `value` is known on both.
  template <class Value>
  std::optional<Ratio> ratio(size_t first, size_t second, Value value) const {
    std::vector<double> ratios;
    for (size_t i = 0; i < networks(); ++i) {
      const double a = value(first, i), b = value(second, i);
      if (a > 0 && b > 0) ratios.push_back(a / b);
    }
    return mean_ratio(ratios);
  }

  BoardRatios against_baseline(size_t board) const {
    const size_t baseline = all_.baseline;
    BoardRatios ratios;
    ratios.speed = ratio(baseline, board, [this](size_t b, size_t n) {
      return figures(b, n).has_time() ? figures(b, n).known.minibatch_ms : not_known;
    });
    ratios.energy = ratio(board, baseline, [this](size_t b, size_t n) {
      return figures(b, n).has_time() ? figures(b, n).known.minibatch_j() : not_known;
    });
    if (ratios.energy) ratios.energy_text = energy_against(board, *ratios.energy);
    if (all_.boards[board].name == all_.boards[baseline].name) return ratios;
    ratios.published = ratio(baseline, board, [this](size_t b, size_t n) {
      const PublishedEpoch* epoch = all_.published_epoch(b, n);
      return epoch ? epoch->seconds.value_or(not_known) : not_known;
    });
    ratios.measured = ratio(baseline, board, [this](size_t b, size_t n) {
      const MeasuredMinibatch* one = all_.measured_minibatch(b, n);
      return one ? one->minibatch_ms : not_known;
    });
    return ratios;
  }

  std::string sentence(size_t board, const BoardRatios& ratios) const {
    const ComparedBoard& baseline = all_.boards[all_.baseline];
    std::vector<std::string> parts;
    if (board == all_.baseline)
      parts.emplace_back(all_.boards.size() == 1 ? "the only board" : "the baseline");
    else if (!ratios.speed)
      parts.emplace_back("no network has figures both here and on " + baseline.title);
    if (ratios.speed) parts.push_back(speed_words(*ratios.speed, baseline.title));
    if (ratios.energy) parts.back() += ", " + ratios.energy_text;
    if (ratios.published) parts.push_back("published: " + speed_words(*ratios.published, ""));
    if (ratios.measured) parts.push_back("measured: " + speed_words(*ratios.measured, ""));
    for (size_t i = 0; i < networks(); ++i)
      if (!figures(board, i).has_time())
        parts.push_back(all_.question.networks[i].name + ": " + why_not(board, i));
    return all_.boards[board].title + ": " + join(parts, "; ");
  }

  // Totals of other names cover other parts of a board: that is said where they are divided.
  std::string energy_against(size_t board, const Ratio& energy) const {
    const ComparedBoard& here = all_.boards[board];
    const ComparedBoard& baseline = all_.boards[all_.baseline];
    if (here.power_words() == baseline.power_words()) return energy_words(energy, "");
    return energy_words(energy, "power of " + total_of(here) + " against " + total_of(baseline));
  }

  std::string why_not(size_t board, size_t network) const {
    const PublishedEpoch* epoch = all_.published_epoch(board, network);
    const bool published = epoch && !epoch->seconds && !figures(board, network).fits();
    return figures(board, network).missing + (published ? " (published: out of memory)" : "");
  }

  /// Does the choice hang on power?
  bool weighs_power() const {
    return all_.limits.power_w || all_.limits.energy_j || all_.limits.epoch_price ||
           (all_.chooses && all_.objective != BoardObjective::time);
  }

  std::vector<std::string> totals() const {
    std::vector<std::string> names;
    for (const ComparedBoard& board : all_.boards)
      if (std::ranges::any_of(board.figures, &BoardFigures::has_power))
        names.push_back(total_of(board));
    make_distinct(names);
    return names;
  }

  /// Networks whose published epochs are of another length.
  std::string published_otherwise() const {
    std::vector<std::string> names;
    for (size_t i = 0; i < networks(); ++i)
      if (all_.any([&](size_t board, size_t network) {
            const PublishedEpoch* epoch = all_.published_epoch(board, network);
            return network == i && epoch && epoch->seconds && !all_.same_epoch(i);
          }))
        names.push_back(all_.question.networks[i].name);
    return join(names, ", ");
  }

  BoardComparison& all_;
};

}  // namespace

bool BoardComparison::same_epoch(size_t network) const {
  const ComparedNetwork& one = question.networks[network];
  const auto told = published.samples.find(one.name);
  return told != published.samples.end() && told->second == one.samples;
}

const PublishedEpoch* BoardComparison::published_epoch(size_t board, size_t network) const {
  if (question.batch_size != published.batch_size ||
      question.loader_workers != published.loader_workers)
    return nullptr;
  return published.find(boards[board].name, question.networks[network].name);
}

double BoardComparison::published_difference_pct(size_t board, size_t network) const {
  const PublishedEpoch* epoch = published_epoch(board, network);
  if (!epoch || !epoch->seconds || !same_epoch(network)) return not_known;
  return 100 * (boards[board].figures[network].epoch_s() / *epoch->seconds - 1);
}

const MeasuredMinibatch* BoardComparison::measured_minibatch(size_t board, size_t network) const {
  return find_measured(measured, boards[board].name, question.networks[network].name,
                       question.batch_size, question.loader_workers);
}

double BoardComparison::measured_difference_pct(size_t board, size_t network) const {
  const MeasuredMinibatch* one = measured_minibatch(board, network);
  const BoardFigures& figures = boards[board].figures[network];
  if (!one || !figures.has_time()) return not_known;
  return 100 * (figures.known.minibatch_ms / one->minibatch_ms - 1);
}

std::string BoardComparison::asked() const {
  const std::string least = fmt::format("objective {}", board_objective_name(objective));
  return limits.any() ? least + ", " + limits.text() : least;
}

std::string BoardComparison::choice_text() const {
  if (!choice || !choice->board) return "";
  const auto able = std::ranges::count_if(
      choice->misses, [](const std::vector<std::string>& misses) { return misses.empty(); });
  const std::string mean =
      question.networks.size() < 2
          ? ""
          : fmt::format("geometric mean over {} networks", question.networks.size());
  const std::string value =
      with_spread(objective_text(objective, choice->value, prices.currency) + " an epoch", mean);
  return fmt::format("{}: {}, {}", boards[*choice->board].title, value,
                     able == 1 ? "the only board that qualifies"
                               : fmt::format("the lowest {} of the {} boards that qualify",
                                             board_objective_name(objective), able));
}

std::vector<std::string> names_of(std::span<const ComparedBoard> boards) {
  std::vector<std::string> names;
  for (const ComparedBoard& board : boards) {
    const auto same = std::ranges::count(boards, board.name, &ComparedBoard::name);
    names.push_back(same > 1
                        ? fmt::format("{} ({}{}{})", board.name, board_source_name(board.source),
                                      board.individual.empty() ? "" : ", ", board.individual)
                        : board.name);
  }
  return names;
}

Status compare_boards(BoardComparison& comparison) {
  Comparer comparer(comparison);
  comparer.add_ratios();
  comparer.add_notes();
  FLYBALL_CHECK(comparer.choose());
  comparer.tell_what_fits_none();
  return {};
}

}  // namespace flyball
