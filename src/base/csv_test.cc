#include "base/csv.h"

#include <gmock/gmock.h>

#include "base/files.h"
#include "base/os/temp_folder.h"
#include "base/random.h"

namespace flyball {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(Csv, ReadsHeaderAndRows) {
  const auto csv =
      parse_csv("\xef\xbb\xbf a ,b\r\n# a comment, with, commas\r\n\r\n1,\"x,y\"\r\n2,", "f");
  ASSERT_TRUE(csv.ok()) << csv.error().message;
  EXPECT_THAT(csv->header, ElementsAre("a", "b"));
  EXPECT_THAT(csv->rows, ElementsAre(ElementsAre("1", "x,y"), ElementsAre("2", "")));
  EXPECT_THAT(csv->lines, ElementsAre(4, 5));
  EXPECT_EQ(csv->column("b"), 1u);
  EXPECT_EQ(csv->column("c"), std::nullopt);
}

TEST(Csv, QuotedFieldsHoldAnything) {
  const auto csv =
      parse_csv("a,b\n\"say \"\"hi\"\"\nthere\",2\n\"#no comment\",\"\"\nlast,4\n", "f");
  ASSERT_TRUE(csv.ok()) << csv.error().message;
  EXPECT_EQ(csv->rows[0][0], "say \"hi\"\nthere");
  EXPECT_EQ(csv->rows[1][0], "#no comment");
  // A row is named by the line on which it begins.
  EXPECT_THAT(csv->lines, ElementsAre(2, 4, 5));
}

TEST(Csv, NamesTheLineOfAFault) {
  EXPECT_EQ(parse_csv("a,b\n1,2\n3\n", "f.csv").error().message,
            "f.csv:3: 1 fields where the header has 2");
  EXPECT_THAT(parse_csv("a,b\n1,2\n3,\"4\n5,6\n", "f.csv").error().message,
              HasSubstr("f.csv:3: a quoted field is never closed"));
  for (const char* empty : {"", "\n\n", "# only a comment\n"})
    EXPECT_EQ(parse_csv(empty, "f.csv").error().message, "f.csv is empty");
}

TEST(Csv, NumbersAreNamedByFileLineAndColumn) {
  Csv csv = parse_csv("ms,w\n1.5,x\n,nan\n", "f.csv").value();
  EXPECT_EQ(csv.number(0, 0).value(), 1.5);
  EXPECT_EQ(csv.number(0, 1).error().message, "f.csv:2: column 'w': 'x' is not a number");
  EXPECT_EQ(csv.number(1, 0).error().message, "f.csv:3: column 'ms': '' is not a number");
  EXPECT_FALSE(csv.number(1, 1).ok()) << "a NaN is not a measurement";
  csv.titles = {"time", "power"};
  EXPECT_THAT(csv.number(0, 1).error().message, HasSubstr("column 'power'"));
}

TEST(Csv, WhatIsWrittenIsRead) {
  Random random(5);
  const std::vector<std::string> alphabet = {
      "a", "b", "#", ",", "\"", "\r", "\n", " ", "\xef\xbb\xbf", "\xc3\xa9"};
  for (int trial = 0; trial < 500; ++trial) {
    const size_t columns = 1 + random.below(3);
    std::string text = csv_line(std::vector<std::string>(columns, "h"));
    std::vector<std::vector<std::string>> rows(1 + random.below(4));
    for (auto& row : rows) {
      row.resize(columns);
      for (std::string& field : row)
        for (size_t n = random.below(6); n > 0; --n)
          field += alphabet[random.below(alphabet.size())];
      text += csv_line(row);
    }
    const auto csv = parse_csv(text, "f");
    ASSERT_TRUE(csv.ok()) << csv.error().message << "\n" << text;
    EXPECT_EQ(csv->rows, rows) << text;
  }
}

TEST(Csv, WhatIsNoTextIsRefusedByFileLineAndColumn) {
  using std::string_literals::operator""s;
  const auto complaint = [](const std::string& text) {
    const auto csv = parse_csv(text, "f.csv");
    if (csv.ok()) return std::string("none");
    EXPECT_EQ(csv.error().hint, "save the file as UTF-8");
    return csv.error().message;
  };
  EXPECT_EQ(complaint("device,ms\nb\xf6rd,1\n"), "f.csv:2: column 'device' is not UTF-8");
  EXPECT_EQ(complaint("# x\ndevice,t\xe9\n"), "f.csv:2: column 2 is not UTF-8");
  EXPECT_EQ(complaint("device,ms\nb,1\n\nb\0,1\n"s),
            "f.csv:4: column 'device' holds the control character 0x00");
  EXPECT_THAT(complaint("device,ms\nb,\x1b[2J\n"), HasSubstr("0x1b"));
  for (const char* wrong : {"\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                            "\xf8\x88\x80\x80", "\xc3", "\x80", "\xff\xfe"})
    EXPECT_THAT(complaint("a\n"s + wrong + "\n"), HasSubstr("is not UTF-8"));
  EXPECT_EQ(complaint("# caf\xe9\na,b\n\xc3\xa9\t\xe2\x82\xac,\xf0\x9f\x9a\x80\n"), "none");
}

TEST(Csv, AnotherSeparatorIsNamedWhereAColumnIsMissing) {
  const Error plain{Code::corrupt, "no column 'ms'", ""};
  const auto missing = [&](const char* text) { return parse_csv(text, "f.csv")->missing(plain); };
  EXPECT_THAT(missing("device;ms\nb;1\n").message,
              HasSubstr("f.csv:1: columns are separated by ';'"));
  EXPECT_THAT(missing("# x\ndevice\tms\n").message,
              HasSubstr("f.csv:2: columns are separated by tabs"));
  EXPECT_EQ(missing("device,a;b\n").message, plain.message);
  EXPECT_EQ(missing("device\n").message, plain.message);
}

TEST(Csv, CommasInNumbersDoNotHideAnotherSeparator) {
  const auto complaint = [](const char* text) { return parse_csv(text, "f.csv").error().message; };
  EXPECT_THAT(complaint("device;ms\nb;1,5\n"), HasSubstr("f.csv:1: columns are separated by ';'"));
  EXPECT_THAT(complaint("device\tms\nb\t1,5\n"),
              HasSubstr("f.csv:1: columns are separated by tabs"));
  EXPECT_EQ(complaint("device\nb,1\n"), "f.csv:2: 2 fields where the header has 1");
}

TEST(Csv, MessagesAreOneLineWhateverFieldsHold) {
  const auto csv = parse_csv("a,\"b\nc\"\n1,\"2\r\n3\"\n", "f.csv");
  ASSERT_TRUE(csv.ok());
  EXPECT_EQ(csv->number(0, 1).error().message,
            R"(f.csv:3: column 'b\nc': '2\r\n3' is not a number)");
}

TEST(Csv, ReadsAFile) {
  const TempFolder folder;
  ASSERT_TRUE(write_file(folder / "t.csv", "a\n1\n").ok());
  EXPECT_EQ(read_csv(folder / "t.csv")->name, (folder / "t.csv").string());
  EXPECT_EQ(read_csv(folder / "none.csv").error().code, Code::not_found);
}

}  // namespace
}  // namespace flyball
