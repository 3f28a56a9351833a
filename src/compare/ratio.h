// How much one board differs from another over several networks, and in which words.
#pragma once

#include <optional>
#include <span>
#include <string>

namespace flyball {

/// Geometric mean of positive ratios, with the least and the most of them.
struct Ratio {
  double mean = 1, least = 1, most = 1;
  size_t networks = 0;
};
/// Nothing for no ratios.
std::optional<Ratio> mean_ratio(std::span<const double> ratios);

/// "3.5 × as fast as Jetson AGX Orin (geometric mean over 5 networks, 2.9 to 4.1)", "takes 2.1 × as
/// long as …"; from 30 on in orders of magnitude: "two orders of magnitude slower than … (105 ×)".
/// `ratio`: how many times as fast; an empty `baseline` is left out.
std::string speed_words(const Ratio& ratio, const std::string& baseline);
/// "1.1 × the energy (1.1 to 1.2)", "the same energy"; `remark` joins the spread, "" adds nothing.
std::string energy_words(const Ratio& ratio, const std::string& remark);
/// "2.9 to 4.1"; "" of one network.
std::string spread_words(const Ratio& ratio);
/// "3.5", as many digits as a ratio deserves.
std::string times_text(double times);

}  // namespace flyball
