// Limits on figures that a program reports of itself: accuracy at least 0.7, memory at most 2 GB.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/status.h"
#include "space/measurement.h"

namespace flyball {

struct FigureLimit {
  std::string figure;
  double limit = 0;
  bool at_most = true;  ///< else at least

  bool operator==(const FigureLimit&) const = default;
  /// "memory ≤ 2 GB", "accuracy ≥ 0.7".
  std::string text() const;
};

/// "memory=2GB", "accuracy=0.7", "ttft=500ms", "failed=1%": a name as reported; bytes, seconds,
/// joules, a share. Errors: neither; a value that is no finite number, or has another unit.
Result<FigureLimit> parse_figure_limit(const std::string& text, bool at_most);

/// Is it NAME=VALUE of the slowdown?
bool limits_slowdown(std::string_view text);
/// "5%" as a factor: 1.05. Errors: no percentage, or one below 0.
Result<double> parse_slowdown(std::string_view percent);
/// The same of "slowdown=5%". Error: it is to be a lower bound, too.
Result<double> parse_slowdown_limit(std::string_view text, bool at_most);

/// A figure as a person reads it; memory with its unit.
std::string figure_text(const std::string& figure, double value);

/// The largest share by which these figures are beyond a limit: value ÷ limit − 1 (at most), limit
/// ÷ value − 1 (at least); negative when all hold, 0 when there are no limits, infinite for a
/// figure that was not reported.
double excess_of(const Figures& figures, std::span<const FigureLimit> limits);

/// Is the figure worse than another? By its limit, else by its name: of loss, error, perplexity and
/// memory less is better, of accuracy, precision, recall, F1, mAP, IoU and BLEU more. False where
/// that is not known.
bool is_worse(const std::string& figure, double value, double than,
              std::span<const FigureLimit> limits);

/// Which limits none of these trials held (each alone), with the nearest value; "" where each was
/// held by some.
std::string unheld_limits(std::span<const Figures> trials, std::span<const FigureLimit> limits);

struct NearestToLimits {
  size_t config = 0;
  std::string text;  ///< "failed ≤ 1 %: 2.5 % in the median of its 2 trials"
};
/// The configuration that comes nearest to holding all limits in the median of its trials, and by
/// what it misses them; "" where it holds them.
NearestToLimits nearest_to_limits(const std::map<size_t, std::vector<Figures>>& trials,
                                  std::span<const FigureLimit> limits);

}  // namespace flyball
