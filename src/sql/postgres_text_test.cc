#include "sql/postgres_text.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>

namespace flyball {
namespace {

TEST(PostgresText, MarksBecomeNumbersAndNullIsWritten) {
  const std::array<Value, 3> values = {1, Value(), "x"};
  EXPECT_EQ(postgres_statement("SELECT ?, ? WHERE a = ?", values), "SELECT $1, NULL WHERE a = $3");
  EXPECT_EQ(postgres_statement("?3 = ?1 OR ?2 IS NULL", values), "$3 = $1 OR NULL IS NULL");
  EXPECT_EQ(postgres_statement("a = '?' AND b = ?", values), "a = '?' AND b = $1");
  const std::array<Value, 1> none = {std::nan("")};
  EXPECT_EQ(postgres_statement("VALUES(?)", none), "VALUES(NULL)");
  EXPECT_EQ(postgres_statement("VALUES(?)", {}), "VALUES(NULL)") << "no value was given";
}

TEST(PostgresText, ValuesAreReadAsTheyWere) {
  EXPECT_EQ(postgres_text(true), "1");
  EXPECT_EQ(postgres_text(~uint64_t{0}), "-1");
  EXPECT_EQ(postgres_text(0.1), "0.1");
  EXPECT_EQ(postgres_text(1e300), "1e+300");
  EXPECT_EQ(postgres_text(-INFINITY), "-Infinity");
  EXPECT_EQ(postgres_text("Orin \xc3\xa9"), "Orin \xc3\xa9");
  const std::string bytes("\x00\xff\\\n", 4);
  EXPECT_EQ(postgres_text(Value::Blob{bytes}), "\\x00ff5c0a");
  EXPECT_EQ(bytes_of_hex("\\x00ff5c0a"), bytes);
  EXPECT_EQ(bytes_of_hex("\\x0"), "");
  EXPECT_EQ(bytes_of_hex("\\xzz"), "");
  EXPECT_EQ(bytes_of_hex("00"), "");
}

// PostgreSQL takes neither, and a run with such a text must not stay behind for ever.
TEST(PostgresText, WhatIsNoTextIsReplaced) {
  constexpr const char* sign = "\xef\xbf\xbd";
  const auto text = [](std::string_view bytes) { return postgres_text(bytes); };
  EXPECT_EQ(text(std::string_view("a\0b", 3)), std::string("a") + sign + "b");
  EXPECT_EQ(text("\xff"), sign);
  EXPECT_EQ(text("\xc3"), sign) << "it ends within";
  EXPECT_EQ(text("\xed\xa0\x80"), std::string(sign) + sign + sign) << "half of a pair";
  EXPECT_EQ(text("\xc0\xaf"), std::string(sign) + sign) << "longer than it need be";
  EXPECT_EQ(text("\xf0\x9f\x9a\x80"), "\xf0\x9f\x9a\x80");
}

TEST(PostgresText, RowsOfCopyKeepTheirBorders) {
  std::string rows;
  const std::string bytes = "\t";
  append_copy_row(rows,
                  std::array<Value, 5>{"a\tb\nc\\d\r", Value(), 1.5, false, Value::Blob{bytes}});
  EXPECT_EQ(rows, "a\\tb\\nc\\\\d\\r\t\\N\t1.5\t0\t\\\\x09\n");
}

}  // namespace
}  // namespace flyball
