#include "base/text.h"

#include <gmock/gmock.h>

#include <cmath>

#include "base/random.h"

namespace flyball {
namespace {

using testing::ElementsAre;

TEST(Text, Trims) {
  EXPECT_EQ(trim("  a b\t\r\n"), "a b");
  EXPECT_EQ(trim(" \n "), "");
  EXPECT_EQ(trim(""), "");
}

TEST(Text, ReadsWholeNumbersOnly) {
  EXPECT_EQ(parse_double("114.75"), 114.75);
  EXPECT_EQ(parse_double(" +3e2 "), 300);
  EXPECT_EQ(parse_double("-0.5"), -0.5);
  EXPECT_FALSE(std::signbit(parse_double("-0").value()));
  EXPECT_TRUE(std::isnan(parse_double("nan").value()));
  EXPECT_TRUE(std::isinf(parse_double("inf").value()));
  for (const char* wrong : {"", " ", "12x", "x12", "1,5", "0x10", "+-5", "++5", "1 2", "1e999"})
    EXPECT_FALSE(parse_double(wrong).has_value()) << wrong;
  EXPECT_EQ(parse_integer("42"), 42);
  EXPECT_EQ(parse_integer("-7"), -7);
  for (const char* wrong : {"", "4.2", "99999999999999999999", "1e3"})
    EXPECT_FALSE(parse_integer(wrong).has_value()) << wrong;
}

TEST(Text, SplitsAndJoins) {
  EXPECT_THAT(split("a,,b", ','), ElementsAre("a", "", "b"));
  EXPECT_THAT(split("", ','), ElementsAre(""));
  EXPECT_THAT(split(",", ','), ElementsAre("", ""));
  EXPECT_EQ(join({"a", "", "b"}, ", "), "a, , b");
  EXPECT_EQ(join({}, ", "), "");
  // A piece is told from the first by its place, not by its text.
  EXPECT_EQ(join({"a", "a"}, "-"), "a-a");
}

TEST(Text, AShellReadsItsWordsBack) {
  EXPECT_EQ(shell_line({"a", "b c", "it's", "", "$(x)"}), "a 'b c' 'it'\\''s' '' '$(x)'");
  EXPECT_EQ(shell_line({"--power-budget=10W", "user@host:/a_b.c"}),
            "--power-budget=10W user@host:/a_b.c");
  EXPECT_EQ(shell_line({}), "");
}

TEST(Text, WritesNumbersShortAndWithoutLoss) {
  EXPECT_EQ(format_number(16), "16");
  EXPECT_EQ(format_number(114.75), "114.75");
  EXPECT_EQ(format_number(0.1), "0.1");
  Random random(3);
  for (int i = 0; i < 1000; ++i) {
    const double value = std::exp(random.uniform(-50, 50));
    EXPECT_EQ(parse_double(format_number(value)), value);
  }
}

TEST(Text, FindsTheNameThatWasMeant) {
  const std::vector<std::string> names = {"resnet18", "resnet50", "lenet5", "bert"};
  EXPECT_EQ(closest("resnet81", names), "resnet18");
  EXPECT_EQ(closest("lenet", names), "lenet5");
  EXPECT_EQ(closest("lenet5", names), "lenet5");
  EXPECT_EQ(closest("mobilenet", names), std::nullopt);
  EXPECT_EQ(closest("xy", {"ab"}), std::nullopt) << "nothing in common is not close";
  EXPECT_EQ(closest("x", {}), std::nullopt);
  EXPECT_EQ(closest("rig", {"rpi5", "orin_nano"}), std::nullopt) << "half of it is another";
  EXPECT_EQ(closest("ResNet-18", names), "resnet18") << "capitals are none of the difference";
}

TEST(Text, HintsAtTheNameThatWasMeantElseAtAll) {
  const std::vector<std::string> names = {"resnet18", "lenet5"};
  EXPECT_EQ(name_hint("resnet81", names), "did you mean 'resnet18'?");
  EXPECT_EQ(name_hint("resnet81", names, "`list` has them"), "did you mean 'resnet18'?");
  EXPECT_EQ(name_hint("bert", names), "one of: resnet18, lenet5");
  EXPECT_EQ(name_hint("bert", names, "`list` has them"), "`list` has them");
}

TEST(Printable, ShowsTextOfAllLanguagesAndNoControlBytes) {
  EXPECT_EQ(printable("déjà vu: 東京 🙂"), "déjà vu: 東京 🙂");
  EXPECT_EQ(printable("a\x1b[2J\n\x7f"), "a?[2J??");
  EXPECT_EQ(printable("\xff\xc3(\xc2\x9b"),
            "?"
            "?(?"
            "?");
  EXPECT_EQ(printable("東京", 4), "東…");  // no half a character
  EXPECT_EQ(printable("abcd", 4), "abcd");
}

}  // namespace
}  // namespace flyball
