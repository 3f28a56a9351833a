#include "monitor/board_screen.h"

#include <gmock/gmock.h>

#include <fmt/format.h>

#include "base/text.h"
#include "monitor/frame_testing.h"

namespace flyball {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string screen(int width, int height, const BoardFrame& frame, ScreenState state = {}) {
  FrameHistory history;
  for (int i = 0; i < 40; ++i) {
    BoardFrame earlier = frame;
    earlier.at_s = i;
    earlier.power_w = 3 + i % 5;
    history.add(earlier);
  }
  return draw_screen(width, height, frame, history, state).text();
}

TEST(BoardScreen, ShowsAllOfAFrameOnTheSmallestUsualTerminal) {
  const std::string text = screen(80, 24, full_frame());
  for (const char* shown : {"Jetson Orin Nano",
                            "7.25 W",
                            "module = VDD_IN",
                            "VDD_IN* 7.25 W",
                            "VDD_SOC -",
                            "90.6 J in 0:12",
                            "mean 7.25 W",
                            "off",
                            "33 %",
                            "cpu0 730 of 1510 MHz",
                            "2.8 GiB of 7.5 GiB",
                            "page cache 1.9 GiB",
                            "nvme0n1 r 1.0 MB/s",
                            "gpu-thermal 51.0",
                            "fan 40 %, 2100 rpm",
                            "THROTTLED: cpu thermal slowdown",
                            "preset 15W, clocks free",
                            "held by process 12",
                            "own 0.4 %",
                            "1234 python3",
                            "60 %    191 MiB",
                            "q quit"})
    EXPECT_THAT(text, HasSubstr(shown)) << text;
  EXPECT_EQ(split(text, '\n').size(), 25u);
}

TEST(BoardScreen, NoLineIsWiderThanTheTerminal) {
  for (const int width : {40, 80, 119, 120, 200})
    for (const int height : {12, 24, 50})
      for (const std::string& line : split(screen(width, height, full_frame()), '\n'))
        EXPECT_LE(columns_of(line), width) << line;
}

// Numbers of cores do not run into their shares.
TEST(BoardScreen, CoresFitOnANarrowTerminal) {
  BoardFrame frame = full_frame();
  frame.cores.assign(6, 1.0);
  EXPECT_THAT(screen(40, 20, frame), HasSubstr(" flyball  Jetson Orin Nano"));
  EXPECT_THAT(screen(40, 20, frame), HasSubstr(" q quit  h help "));
  EXPECT_THAT(screen(40, 20, frame), HasSubstr("CPU       0 100 %  1 100 %  2 100 %\n"));
  EXPECT_THAT(screen(40, 20, frame), HasSubstr("           3 100 %  4 100 %  5 100 %\n"));
}

TEST(BoardScreen, AsciiHasNoBlocks) {
  const std::string text = screen(80, 24, full_frame(), {.glyphs = Glyphs::ascii});
  EXPECT_THAT(text, Not(HasSubstr("█")));
  EXPECT_THAT(text, Not(HasSubstr("·")));
  EXPECT_THAT(text, HasSubstr("#"));
}

TEST(BoardScreen, ManyCoresTakeACharacterEach) {
  BoardFrame frame = full_frame();
  frame.cores.assign(128, 0.5);
  EXPECT_THAT(screen(200, 50, frame), HasSubstr("▄▄▄▄▄▄"));
}

TEST(BoardScreen, WhatIsMissingIsSaid) {
  BoardFrame frame;
  frame.board_name = "a machine";
  frame.gaps = {{Code::unavailable, "no power here", "none"}};
  const std::string text = screen(80, 24, frame);
  EXPECT_THAT(text, HasSubstr("no power sensor"));
  EXPECT_THAT(text, HasSubstr("no power here"));
}

TEST(BoardScreen, NoChartStandsThereTwice) {
  BoardFrame frame;
  frame.board_name = "a machine";
  frame.cores = {1.0, 0.5};
  const std::string text = screen(200, 50, frame);
  EXPECT_EQ(text.find("CPU 100 %"), text.rfind("CPU 100 %"));
  EXPECT_THAT(text, Not(HasSubstr("hottest")));
}

TEST(BoardScreen, EnergyIsSinceTheMark) {
  EXPECT_THAT(screen(80, 24, full_frame(), {.mark_s = 2.5, .mark_j = 40.625}),
              HasSubstr("50.0 J in 0:10, mean 5.00 W"));
}

TEST(BoardScreen, DrawsQuestionsOverAll) {
  EXPECT_THAT(screen(80, 24, full_frame(), {.dialog = {"Set 15W on this board?"}}),
              HasSubstr("Set 15W on this board?"));
  EXPECT_THAT(screen(80, 24, full_frame(), {.help = true}), HasSubstr("quit; the terminal"));
}

}  // namespace
}  // namespace flyball
