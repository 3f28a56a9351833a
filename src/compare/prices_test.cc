#include "compare/prices.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "boards/capacity.h"

namespace flyball {
namespace {

using testing::Contains;
using testing::HasSubstr;

constexpr const char* head = "currency = \"USD\"\nlife_years = 2\nelectricity_per_kwh = 0.5\n";

std::string price(const std::string& more) {
  return std::string(head) + "[[price]]\nboard = \"rig\"\nprice = 100\n" + more;
}

TEST(Prices, ThoseBuiltInNameBoardsThatThereAreAndTheirSource) {
  const auto list = read_prices("");
  ASSERT_TRUE(list.ok()) << list.error().message;
  EXPECT_GE(list->prices.size(), 6u);
  for (const BoardPrice& one : list->prices)
    EXPECT_THAT(boards_with_capacity(), Contains(one.board));
  EXPECT_EQ(list->of("orin_agx")->price.amount, 1999);
  EXPECT_EQ(list->of("thor"), nullptr);
}

TEST(Prices, OfSeveralTheLatestCounts) {
  const auto list = read_prices("");
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->of("orin_nano")->price.amount, 249);
  EXPECT_EQ(list->of("orin_nano")->date, "2024-12-17");
}

TEST(Prices, AnEpochCostsItsShareOfTheLifeAndItsEnergy) {
  const PriceList list{"", "USD", 2, 0.5, {}};
  const BoardPrice board{"rig", {1000, "USD"}, "2024-01", "", "told"};
  // A year of two, in which 10 kWh were drawn.
  const Money money = list.epoch_price(board, 365.25 * 24 * 3600, 10 * 3.6e6);
  EXPECT_DOUBLE_EQ(money.amount, 500 + 5);
  EXPECT_EQ(money.text(), "505 USD");
}

TEST(Prices, WhatIsWrongIsNamedWithItsLine) {
  const std::string rest = "currency = \"USD\"\ndate = \"2024-01\"\nsource = \"told\"\n";
  ASSERT_TRUE(parse_prices(price(rest), "p.toml").ok());
  const std::pair<std::string, std::string> wrong[] = {
      {"currency = \"USD\"", "life_years"},
      {"life_years = 1", "currency"},
      {"currency = \"USD\"\nlife_years = 0\nelectricity_per_kwh = 1", "life_years"},
      {price("currency = \"EUR\"\ndate = \"2024-01\"\nsource = \"told\"\n"), "EUR"},
      {price("currency = \"USD\"\ndate = \"last week\"\nsource = \"told\"\n"), "date"},
      {price("currency = \"USD\"\ndate = \"2024-13\"\nsource = \"told\"\n"), "date"},
      {price("currency = \"USD\"\ndate = \"2024-01\"\n"), "source"},
      {price(rest + "colour = 1\n"), "colour"},
      {price(rest + "what = 5\n"), "what"},
      {"currency = \"USD\"\nlife_years = 1\nelectricity_per_kwh = 1\n[price]\nprice = 1",
       "[[price]]"},
      {"= 1", "p.toml:1"}};
  for (const auto& [text, named] : wrong) {
    const auto list = parse_prices(text, "p.toml");
    ASSERT_FALSE(list.ok()) << text;
    EXPECT_THAT(list.error().message, HasSubstr(named));
    EXPECT_THAT(list.error().message, HasSubstr("p.toml:"));
  }
}

TEST(Prices, AnAmountHasItsCurrency) {
  const auto money = parse_money("0.05USD");
  ASSERT_TRUE(money.ok());
  EXPECT_EQ(money->amount, 0.05);
  EXPECT_EQ(parse_money("5EUR")->currency, "EUR");
  EXPECT_EQ(parse_money("1e3 CHF")->amount, 1000);
  for (const char* text : {"5", "", "USD", "-1USD", "5usd", "nanUSD", "1e99USD", "5 dollars"})
    EXPECT_FALSE(parse_money(text).ok()) << text;
}

}  // namespace
}  // namespace flyball
