#include "space/named_source.h"

#include <gtest/gtest.h>

namespace flyball {
namespace {

using Kind = NamedSource::Kind;

void expect_source(const std::string& text, Kind kind, const std::string& name,
                   const std::string& workload = "") {
  const NamedSource source = read_source(text);
  EXPECT_EQ(source.kind, kind) << text;
  EXPECT_EQ(source.name, name) << text;
  EXPECT_EQ(source.workload, workload) << text;
  EXPECT_EQ(source.is_table(), kind == Kind::table) << text;
}

TEST(NamedSource, ANameAloneIsANetwork) {
  expect_source("lenet5", Kind::network, "lenet5");
  expect_source("", Kind::network, "");
}

TEST(NamedSource, ATableIsAFileWithOrWithoutAWorkload) {
  expect_source("resnet18.csv", Kind::table, "resnet18.csv");
  expect_source("tables/all.csv:resnet18", Kind::table, "tables/all.csv", "resnet18");
  expect_source("tables/measured", Kind::table, "tables/measured");
  expect_source("a.csv:b.csv:net", Kind::table, "a.csv:b.csv", "net");
}

TEST(NamedSource, APrefixDecidesWhateverThePathLooksLike) {
  expect_source("script:models/net.pt", Kind::script, "models/net.pt");
  expect_source("script:net.csv", Kind::script, "net.csv");
  expect_source("onnx:/models/net.onnx", Kind::onnx, "/models/net.onnx");
}

}  // namespace
}  // namespace flyball
