#include "experiment/findings/runtime_findings.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "experiment/runtime_differences.h"

namespace flyball {
namespace {

struct ToldFigure {
  const char *figure, *of, *higher, *lower;
};
constexpr ToldFigure told[] = {
    {"minibatch_ms", "the time of a minibatch", "slower", "faster"},
    {"energy_j", "the energy of an epoch", "hungrier", "thriftier"},
};

double percent(double ratio) {
  return 100 * (ratio - 1);
}

std::string interval(const RelativeDifference& d) {
  return fmt::format("90 %: {:+.1f} to {:+.1f} %", percent(d.low), percent(d.high));
}

std::string verdict(const RelativeDifference& d, const ToldFigure& words, double within_pct) {
  switch (d.verdict) {
    case DifferenceVerdict::none:
      return fmt::format("no difference beyond {:g} % in {} ({}, {} repeats)", within_pct, words.of,
                         interval(d), d.repeats);
    case DifferenceVerdict::higher:
    case DifferenceVerdict::lower:
      return fmt::format("{} by {:.1f} % in {} ({}, {} repeats)",
                         d.verdict == DifferenceVerdict::higher ? words.higher : words.lower,
                         std::abs(percent(d.ratio)), words.of, interval(d), d.repeats);
    case DifferenceVerdict::unknown:
      break;
  }
  if (!d.more)
    return fmt::format("one repeat cannot tell a difference in {}: two at least do", words.of);
  return fmt::format("cannot tell within {} repeats whether {} differs ({}): about {} more would",
                     d.repeats, words.of, interval(d), *d.more);
}

std::string start_words(const RuntimeDifference& one) {
  if (!one.start_ms || !one.bare_start_ms) return "";
  return fmt::format("; an empty program takes {:.3g} ms, bare {:.3g} ms", *one.start_ms,
                     *one.bare_start_ms);
}

}  // namespace

std::vector<Finding> runtime_findings(const ExperimentSpec& spec,
                                      const std::vector<Group>& groups) {
  std::vector<Finding> list;
  for (const RuntimeDifference& one : runtime_differences(spec, groups))
    for (const ToldFigure& words : told) {
      const auto found = std::ranges::find(one.figures, words.figure, &FigureDifference::figure);
      if (found == one.figures.end()) continue;
      const RelativeDifference& d = found->difference;
      std::optional<bool> as_expected;  // the study expects none
      if (d.verdict != DifferenceVerdict::unknown)
        as_expected = d.verdict == DifferenceVerdict::none;
      const std::string start = &words == &told[0] ? start_words(one) : "";
      list.push_back(
          {fmt::format("{}{}: {}{}.", one.runtime, one.others.empty() ? "" : ", " + one.others,
                       verdict(d, words, spec.no_difference_pct), start),
           as_expected});
    }
  return list;
}

}  // namespace flyball
