#include "cli/text/compare_text.h"

#include <fmt/format.h>

#include <cmath>

#include "base/figure.h"
#include "base/units.h"
#include "cli/output.h"
#include "cli/text/tune_text.h"

namespace flyball::cli {
namespace {

std::string percent(double pct) {
  return std::isnan(pct) ? "-" : fmt::format("{:+.1f} %", pct);
}

std::string price_text(const BoardPrice& price) {
  return price.what.empty() ? price.date : price.what + ", " + price.date;
}

std::string boards_text(const BoardComparison& all) {
  TextTable table({"board", "name", "power total", "list price", "price of"});
  for (size_t i = 0; i < all.boards.size(); ++i) {
    const ComparedBoard& board = all.boards[i];
    const BoardPrice* price = all.prices.of(board.name);
    const std::string power = board.power_words();
    table.add({all.names[i], board.title, or_dash(power), price ? price->price.text() : "not known",
               price ? price_text(*price) : "-"});
  }
  return table.str();
}

std::string published_text(const PublishedEpoch* epoch) {
  if (!epoch) return "-";
  return epoch->seconds ? number(*epoch->seconds, 5) : "out of memory";
}

/// Columns of figures; those that say nothing of any board are left out.
class FigureRows {
 public:
  explicit FigureRows(const BoardComparison& all) : all_(all) {}

  std::string str() const {
    const bool priced = all_.any([this](size_t b, size_t n) { return price(b, n).has_value(); });
    const bool published =
        all_.any([this](size_t b, size_t n) { return all_.published_epoch(b, n); });
    const bool measured =
        all_.any([this](size_t b, size_t n) { return all_.measured_minibatch(b, n); });
    std::vector<std::string> header = {"network", "board",   "minibatch ms", "epoch",
                                       "power W", "epoch J", "known"};
    if (priced) header.push_back(all_.prices.currency + " an epoch");
    if (published) header.insert(header.end(), {"published s", "difference"});
    if (measured) header.insert(header.end(), {"measured ms", "difference"});
    TextTable table(header);
    for (size_t n = 0; n < all_.question.networks.size(); ++n)
      for (size_t b = 0; b < all_.boards.size(); ++b) {
        std::vector<std::string> row = figures(b, n);
        if (priced) row.push_back(or_dash(price(b, n)));
        if (published) {
          row.push_back(published_text(all_.published_epoch(b, n)));
          row.push_back(percent(all_.published_difference_pct(b, n)));
        }
        if (measured) {
          const MeasuredMinibatch* one = all_.measured_minibatch(b, n);
          row.push_back(one ? number(one->minibatch_ms, 4) : "-");
          row.push_back(percent(all_.measured_difference_pct(b, n)));
        }
        table.add(std::move(row));
      }
    return table.str();
  }

 private:
  std::optional<double> price(size_t b, size_t n) const {
    return epoch_price(all_.boards[b], all_.boards[b].figures[n], all_.prices);
  }
  std::vector<std::string> figures(size_t b, size_t n) const {
    const BoardFigures& f = all_.boards[b].figures[n];
    const std::string& network = all_.question.networks[n].name;
    if (!f.has_time())
      return {network, all_.names[b], "-", "-", "-", "-", f.fits() ? "not known" : "does not fit"};
    const Configuration& c = f.known;
    const double seconds = f.epoch_s();
    return {network,
            all_.names[b],
            with_spread(c.minibatch_ms, c.time_lo, c.time_hi),
            std::isnan(seconds) ? "-" : upper_seconds({seconds}),
            with_spread(c.power_w, c.power_lo, c.power_hi),
            number(f.epoch_j()),
            provenance_name(c.provenance)};
  }

  const BoardComparison& all_;
};

}  // namespace

std::string compare_text(const BoardComparison& all) {
  std::string text = fmt::format(
      "training at batch size {:g} with {:g} loader workers, each board in the highest "
      "mode that is known of it\n\n{}\n{}\n",
      all.question.batch_size, all.question.loader_workers, boards_text(all),
      FigureRows(all).str());
  for (const BoardRatios& ratios : all.ratios) text += ratios.text + "\n";
  if (all.chooses) text += fmt::format("\nasked: {}\n", all.asked());
  if (const std::string choice = all.choice_text(); !choice.empty())
    text += fmt::format("choice: {}\n", choice);
  if (all.choice)
    for (size_t i = 0; i < all.boards.size(); ++i)
      if (!all.choice->misses[i].empty())
        text +=
            fmt::format("{} misses: {}\n", all.names[i], fmt::join(all.choice->misses[i], "; "));
  if (!all.notes.empty()) text += "\n";
  for (const std::string& note : all.notes) text += fmt::format("note: {}\n", note);
  return text;
}

}  // namespace flyball::cli
