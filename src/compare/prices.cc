#include "compare/prices.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/figure.h"
#include "base/files.h"
#include "base/text.h"
#include "boards/toml_reader.h"
#include "compare/texts.h"

namespace flyball {
namespace {

constexpr double seconds_of_a_year = 365.25 * 24 * 3600;
constexpr double joules_of_a_kwh = 3.6e6;
constexpr double most_money = 1e12;
constexpr size_t largest_file = 1 << 20;

bool is_currency(std::string_view text) {
  return text.size() == 3 && std::ranges::all_of(text, [](char c) { return c >= 'A' && c <= 'Z'; });
}

/// "2023-10" or "2024-12-17": as texts they sort by time.
bool is_date(const std::string& text) {
  const std::vector<std::string> parts = split(text, '-');
  if (parts.size() < 2 || parts.size() > 3 || parts[0].size() != 4) return false;
  const auto within = [](const std::string& part, size_t digits, long long most) {
    const auto value = parse_integer(part);
    return part.size() == digits && value && *value >= 1 && *value <= most;
  };
  return within(parts[0], 4, 9999) && within(parts[1], 2, 12) &&
         (parts.size() == 2 || within(parts[2], 2, 31));
}

class PriceReader : public TomlReader {
 public:
  using TomlReader::TomlReader;

  Result<PriceList> read(const toml::table& document) const {
    PriceList list;
    FLYBALL_CHECK(only(document, "", {"currency", "life_years", "electricity_per_kwh", "price"}));
    list.currency = document["currency"].value_or(std::string());
    if (!is_currency(list.currency))
      return at(document, "currency is missing, or not three capital letters");
    FLYBALL_ASSIGN(list.life_years, amount(document, "life_years"));
    if (!(list.life_years > 0)) return at(document, "life_years must be above 0");
    FLYBALL_ASSIGN(list.electricity_per_kwh, amount(document, "electricity_per_kwh"));
    const toml::array* prices = document["price"].as_array();
    if (document.contains("price") && !prices)
      return at(*document["price"].node(), "prices are tables: write [[price]]");
    for (size_t i = 0; prices && i < prices->size(); ++i) {
      const toml::table* one = (*prices)[i].as_table();
      if (!one) return at((*prices)[i], "[[price]] is no table");
      FLYBALL_CHECK(add(*one, list));
    }
    return list;
  }

 private:
  Result<double> amount(const toml::table& table, const char* key) const {
    return number(table, key, std::nullopt, 0, most_money);
  }

  Status add(const toml::table& table, PriceList& list) const {
    FLYBALL_CHECK(
        only(table, " in [[price]]", {"board", "price", "currency", "date", "what", "source"}));
    BoardPrice one;
    FLYBALL_ASSIGN(one.board, text(table, "board"));
    FLYBALL_ASSIGN(one.price.amount, amount(table, "price"));
    FLYBALL_ASSIGN(one.price.currency, text(table, "currency"));
    FLYBALL_ASSIGN(one.date, text(table, "date"));
    FLYBALL_ASSIGN(one.what, text(table, "what"));
    FLYBALL_ASSIGN(one.source, text(table, "source"));
    if (one.board.empty() || one.source.empty()) return at(table, "a price needs board and source");
    if (one.price.currency != list.currency)
      return at(table, fmt::format("the price of {} is in '{}', and the file is in {}", one.board,
                                   one.price.currency, list.currency));
    if (!is_date(one.date))
      return at(table, fmt::format("the price of {} needs a date, such as \"2024-12-17\" or "
                                   "\"2024-12\"",
                                   one.board));
    list.prices.push_back(std::move(one));
    return {};
  }
};

}  // namespace

std::string Money::text() const {
  return fmt::format("{} {}", number(amount), currency);
}

Result<Money> parse_money(std::string_view text) {
  const std::string_view trimmed = trim(text);
  if (parse_double(trimmed))
    return Error{Code::invalid_argument, fmt::format("'{}' has no currency", trimmed),
                 fmt::format("say {}USD", trimmed)};
  const size_t letters = 3;
  if (trimmed.size() > letters) {
    const std::string_view currency = trimmed.substr(trimmed.size() - letters);
    const auto amount = parse_double(trim(trimmed.substr(0, trimmed.size() - letters)));
    if (amount && *amount >= 0 && *amount <= most_money && is_currency(currency))
      return Money{*amount, std::string(currency)};
  }
  return Error{Code::invalid_argument, fmt::format("'{}' is no price", text),
               "write an amount and the three letters of its currency, such as 0.05USD"};
}

const BoardPrice* PriceList::of(const std::string& board) const {
  const BoardPrice* latest = nullptr;
  for (const BoardPrice& one : prices)
    if (one.board == board && (!latest || one.date >= latest->date)) latest = &one;
  return latest;
}

Money PriceList::epoch_price(const BoardPrice& board, double seconds, double joules) const {
  return {board.price.amount / (life_years * seconds_of_a_year) * seconds +
              electricity_per_kwh * joules / joules_of_a_kwh,
          currency};
}

Result<PriceList> parse_prices(const std::string& text, const std::string& file) {
  const PriceReader reader(file, "compare.md");
  FLYBALL_ASSIGN(const toml::table document, reader.parse(text));
  FLYBALL_ASSIGN(PriceList list, reader.read(document));
  list.file = file;
  return list;
}

Result<PriceList> read_prices(const std::filesystem::path& file) {
  if (file.empty()) return parse_prices(compared_text("prices.toml"), "the built-in prices.toml");
  FLYBALL_ASSIGN(const std::string text, read_file(file, largest_file));
  return parse_prices(text, file.string());
}

}  // namespace flyball
