#include "store/reference_folder.h"

#include <gtest/gtest.h>

#include "base/files.h"
#include "base/os/temp_folder.h"

namespace flyball {
namespace {

Table reference_table(const std::string& rows, const std::string& columns = "") {
  const auto csv = parse_csv(
      "device,workload,phase,gpu_mhz,minibatch_ms,power_w" + columns + "\n" + rows, "t.csv");
  EXPECT_TRUE(csv.ok());
  const auto table = parse_table(*csv);
  EXPECT_TRUE(table.ok());
  return table.ok() ? *table : Table{};
}

TEST(ReferenceFolder, KeepAndForgetTables) {
  const TempFolder folder;
  const ReferenceFolder references(folder / "shelf");
  ASSERT_TRUE(references.list().ok());
  EXPECT_TRUE(references.list()->tables.empty());
  ASSERT_TRUE(
      references.add(reference_table("orin,net,train,100,9,5\norin,net,train,200,5,7\n"), "a")
          .ok());
  ASSERT_TRUE(references.add(reference_table("xavier,net,infer,100,9,\n"), "b-2").ok());
  EXPECT_EQ(references.add(reference_table("orin,net,train,100,9,5\n"), "a").error().code,
            Code::conflict);
  const auto all = references.list();
  ASSERT_TRUE(all.ok());
  ASSERT_EQ(all->tables.size(), 2u);
  EXPECT_EQ(all->tables[0].name, "a");
  EXPECT_EQ(all->tables[0].table.workloads.front().size(), 2u);
  ASSERT_EQ(all->of_device("orin", {}).size(), 1u);
  EXPECT_EQ(all->of_device("orin", {}).front().title(), "net train on orin");
  EXPECT_TRUE(all->of_device("elsewhere", {}).empty());
  const Status unknown = references.remove("c");
  ASSERT_FALSE(unknown.ok());
  EXPECT_EQ(unknown.error().code, Code::not_found);
  EXPECT_NE(unknown.error().hint.find("a, b-2"), std::string::npos);
  ASSERT_TRUE(references.remove("a").ok());
  EXPECT_EQ(references.list()->tables.size(), 1u);
}

TEST(ReferenceFolder, HoldNothingThatWasPredicted) {
  const TempFolder folder;
  const ReferenceFolder references(folder.path());
  const auto dropped = references.add(
      reference_table("o,n,train,100,9,5,measured\no,n,train,200,5,7,predicted\n", ",provenance"),
      "a");
  ASSERT_TRUE(dropped.ok());
  EXPECT_EQ(*dropped, 1u);
  EXPECT_EQ(references.list()->of_device("o", {}).front().size(), 1u);
  EXPECT_FALSE(
      references.add(reference_table("o,n,train,100,9,5,predicted\n", ",provenance"), "b").ok());
}

TEST(ReferenceFolder, KeepsHowRowsAreKnown) {
  const TempFolder folder;
  const ReferenceFolder references(folder.path());
  ASSERT_TRUE(
      references
          .add(reference_table("o,net,train,100,9,5,measured\no,net,train,200,5,7,simulated\n"
                               "o,sim,train,100,9,5,simulated\n",
                               ",provenance"),
               "a")
          .ok());
  const auto measured = references.list()->of_device("o", {});
  ASSERT_EQ(measured.size(), 1u);
  EXPECT_EQ(measured[0].size(), 1u);
  EXPECT_EQ(measured[0].known(0), Provenance::measured);
  const auto all = references.list()->of_device("o", {.simulated = true});
  ASSERT_EQ(all.size(), 2u);
  EXPECT_EQ(all[0].known(1), Provenance::simulated);
  EXPECT_TRUE(all[1].accepted.simulated);
}

TEST(ReferenceFolder, NamesStayInTheFolder) {
  const TempFolder folder;
  const ReferenceFolder references(folder.path());
  for (const char* name : {"", "../a", "a/b", ".hidden", "a b"}) {
    EXPECT_FALSE(references.add(reference_table("o,n,train,100,9,5\n"), name).ok()) << name;
    EXPECT_FALSE(references.remove(name).ok()) << name;
  }
}

TEST(ReferenceFolder, ABrokenFileIsNamedAndKeepsNoOtherFromUse) {
  const TempFolder folder;
  const ReferenceFolder references(folder.path());
  ASSERT_TRUE(write_file(folder / "bad.csv", "not,a,table\n1,2,3\n").ok());
  ASSERT_TRUE(references.add(reference_table("orin,net,train,100,9,5\n"), "good").ok());
  const auto list = references.list();
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->of_device("orin", {}).size(), 1u);
  ASSERT_EQ(list->unread.size(), 1u);
  EXPECT_NE(list->unread[0].message.find("bad.csv"), std::string::npos);
  EXPECT_NE(list->unread[0].hint.find("remove bad"), std::string::npos);
}

}  // namespace
}  // namespace flyball
