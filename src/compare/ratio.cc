#include "compare/ratio.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>

#include "base/figure.h"
#include "base/text.h"

namespace flyball {
namespace {

constexpr double orders_from = 30;

/// Two of 30 to 300, three of 300 to 3000.
std::string orders(double times) {
  static constexpr std::array words = {"two", "three", "four", "five", "six"};
  const auto order = static_cast<size_t>(std::floor(std::log10(times / orders_from)));
  return fmt::format("{} orders of magnitude", words[std::min(order, words.size() - 1)]);
}

}  // namespace

std::optional<Ratio> mean_ratio(std::span<const double> ratios) {
  if (ratios.empty()) return std::nullopt;
  const double logs =
      std::accumulate(ratios.begin(), ratios.end(), 0.0,
                      [](double sum, double ratio) { return sum + std::log(ratio); });
  return Ratio{std::exp(logs / static_cast<double>(ratios.size())),
               *std::ranges::min_element(ratios), *std::ranges::max_element(ratios), ratios.size()};
}

std::string times_text(double times) {
  // Never "1e+02": below 100 two digits may round up to it.
  return number(times, times < 99.5 ? 2 : 3);
}

Ratio inverse(const Ratio& ratio) {
  return {1 / ratio.mean, 1 / ratio.most, 1 / ratio.least, ratio.networks};
}

std::string spread_words(const Ratio& ratio) {
  if (ratio.networks < 2) return "";
  return fmt::format("{} to {}", times_text(ratio.least), times_text(ratio.most));
}

std::string speed_words(const Ratio& ratio, const std::string& baseline) {
  const bool faster = ratio.mean >= 1;
  const Ratio times = faster ? ratio : inverse(ratio);
  const bool in_orders = times.mean >= orders_from;
  const auto than = [&](const char* word) {
    return baseline.empty() ? std::string() : word + baseline;
  };
  std::string text = in_orders                       ? fmt::format("{} {}{}", orders(times.mean),
                                             faster ? "faster" : "slower", than(" than "))
                     : times_text(times.mean) == "1" ? "as fast" + than(" as ")
                     : faster ? times_text(times.mean) + " × as fast" + than(" as ")
                              : "takes " + times_text(times.mean) + " × as long" + than(" as ");
  std::vector<std::string> remarks;
  if (in_orders) remarks.push_back(times_text(times.mean) + " ×");
  if (ratio.networks > 1)
    remarks.push_back(
        fmt::format("geometric mean over {} networks, {}", ratio.networks, spread_words(times)));
  if (!remarks.empty()) text += fmt::format(" ({})", join(remarks, "; "));
  return text;
}

std::string energy_words(const Ratio& ratio, const std::string& remark) {
  const std::string times = times_text(ratio.mean);
  std::vector<std::string> remarks = {spread_words(ratio), remark};
  std::erase(remarks, "");
  const std::string words = times == "1" ? "the same energy" : times + " × the energy";
  return remarks.empty() ? words : fmt::format("{} ({})", words, join(remarks, "; "));
}

}  // namespace flyball
