// A frame in words: the pieces that the screen, `--once` and single lines share.
#pragma once

#include <optional>
#include <string>

#include "monitor/board_frame.h"

namespace flyball {

/// "7.25 W", "850 mW"; "-" where it is not known.
std::string watts_text(const std::optional<double>& watts);
/// "90.6 J", "12.3 kJ".
std::string joules_text(double joules);
/// "3.0 GiB", "512 MiB".
std::string bytes_text(const std::optional<double>& bytes);
/// "1.2 MB/s".
std::string rate_text(const std::optional<double>& bytes_per_s);
/// "51 %".
std::string percent_text(const std::optional<double>& share);
/// "0:12", "1:02:03".
std::string clock_text(double seconds);
/// "729.6 of 1510.4 MHz".
std::string mhz_text(const ClockFrame& clock);
/// "module = VDD_GPU_SOC + VDD_CPU_CV", or why there is no total.
std::string total_text(const BoardFrame& frame);
/// "not throttled", "THROTTLED: cpu thermal slowdown", or that no sensor tells.
std::string throttle_text(const BoardFrame& frame);
/// "preset 15W, clocks free", or the caps where they are no preset's.
std::string mode_text(const BoardFrame& frame);
/// "held by process 12 …, until it ends", "" where nobody has the board and nothing is kept.
std::string holder_text(const BoardFrame& frame);
/// "fan 40 %, 2100 rpm", "" where none is shown.
std::string fan_text(const BoardFrame& frame);

/// All of it, for `--once`.
std::string frame_text(const BoardFrame& frame);
/// The most important figures in one line, for terminals that cannot do more.
std::string frame_line(const BoardFrame& frame);

}  // namespace flyball
