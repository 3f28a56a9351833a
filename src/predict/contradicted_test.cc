#include "predict/contradicted.h"

#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <cstdlib>
#include <filesystem>

namespace flyball {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::IsEmpty;

Result<Table> table_of(const std::string& text) {
  return parse_table(parse_csv(text, "t.csv").value());
}

const std::string head = "device,workload,phase,batch_size,cpu_mhz,minibatch_ms,power_w\n";

TEST(SuspiciousPower, ComparesWithTheNeighbours) {
  std::string text = head;
  for (int batch : {1, 2, 4})
    for (int mhz : {100, 200, 300, 400})
      text += "o,n,train," + std::to_string(batch) + "," + std::to_string(mhz) + ",3," +
              (batch == 2 && mhz == 200 ? "18.7" : "20") + "\n";
  const auto table = table_of(text);
  ASSERT_TRUE(table.ok());
  EXPECT_THAT(suspicious_power(*table->only().value()), ElementsAre(5));
  EXPECT_THAT(suspicious_power(*table->only().value(), 0.07), IsEmpty());
}

TEST(SuspiciousPower, NeedsTwoNeighboursWithPower) {
  const auto suspects = [](const std::string& rows) {
    const auto table = table_of(head + rows);
    return suspicious_power(*table->only().value()).size();
  };
  EXPECT_EQ(suspects("o,n,train,1,100,3,10\no,n,train,1,200,3,20\n"), 0u);
  EXPECT_EQ(suspects("o,n,train,1,100,3,20\no,n,train,1,200,3,10\no,n,train,1,300,3,\n"), 0u);
  EXPECT_EQ(suspects("o,n,train,1,100,3,20\no,n,train,1,200,3,10\no,n,train,1,300,3,20\n"), 1u);
}

// Two readings of one configuration, of which one is odd, are judged by what they come to; the
// second is no neighbour of the first.
TEST(SuspiciousPower, RepeatsAreJudgedTogether) {
  const auto suspects = [](const std::string& repeats) {
    const auto table =
        table_of(head + "o,n,train,1,100,3,20\n" + repeats + "o,n,train,1,300,3,20\n");
    return suspicious_power(*table->only().value());
  };
  EXPECT_THAT(suspects("o,n,train,1,200,3,20\no,n,train,1,200,3,10\no,n,train,1,200,3,20\n"),
              IsEmpty());
  EXPECT_THAT(suspects("o,n,train,1,200,3,10\no,n,train,1,200,3,\no,n,train,1,200,3,10\n"),
              ElementsAre(1, 3));
}

// Power as boards draw it, over few and coarse steps: it bends at every edge.
double smooth_power(double cores, double cpu, double gpu) {
  return 9 + 0.12 * cores * std::pow(cpu / 1000, 2.2) +
         14 * std::pow(gpu / 1000, 2.6) / (1 + 0.3 * gpu / cpu);
}

WorkloadTable smooth_table(std::vector<double> cores, std::vector<double> cpu,
                           std::vector<double> gpu) {
  WorkloadTable table;
  table.device = "o", table.workload = "n";
  std::vector<Axis> axes = {named_axis("cpu_cores"), named_axis("cpu_mhz"), named_axis("gpu_mhz")};
  axes[0].values = std::move(cores), axes[1].values = std::move(cpu),
  axes[2].values = std::move(gpu);
  const Space grid = Space::grid(axes);
  table.space = Space(axes);
  for (size_t i = 0; i < grid.size(); ++i) {
    const auto row = grid.row(i);
    table.add(row, 1e5 / row[2] + 1e4 / row[1], smooth_power(row[0], row[1], row[2]));
  }
  return table;
}

WorkloadTable coarse_table() {
  return smooth_table({4, 8, 12}, {422.4, 729.6, 1036.8, 1344, 1728, 2201.6},
                      {306, 510, 714, 918, 1122, 1300.5});
}

TEST(SuspiciousPower, ASmoothSurfaceHasNoneAlsoAtTheEdgesOfCoarseAxes) {
  EXPECT_THAT(suspicious_power(coarse_table()), IsEmpty());
  EXPECT_THAT(suspicious_time(coarse_table(), 0.3), IsEmpty());
}

TEST(SuspiciousPower, AnEarlyReadingIsFoundWhereverItStands) {
  const WorkloadTable sound = coarse_table();
  for (size_t row = 0; row < sound.size(); ++row) {
    WorkloadTable table = sound;
    table.power_w[row] *= 0.7;
    const std::vector<size_t> found = suspicious_power(table);
    EXPECT_THAT(found, Contains(row));
    EXPECT_LE(found.size(), 3u) << row;  // a corner leans on few others
  }
}

TEST(SuspiciousPower, AWiderToleranceFindsNoOthers) {
  WorkloadTable table = coarse_table();
  for (size_t row = 0; row < table.size(); row += 7)
    table.power_w[row] *= 0.6 + 0.005 * static_cast<double>(row);
  std::vector<size_t> before = suspicious_power(table, 0.02);
  ASSERT_GT(before.size(), 2u);
  for (const double tolerance : {0.06, 0.1, 0.2, 0.3}) {
    const std::vector<size_t> rows = suspicious_power(table, tolerance);
    EXPECT_TRUE(std::ranges::includes(before, rows)) << tolerance;
    before = rows;
  }
  EXPECT_FALSE(before.empty()) << "of 0.3";
}

TEST(SuspiciousPower, BeyondTheEndOfOneAxisNothingIsExpected) {
  const auto table =
      table_of(head + "o,n,train,1,100,3,10\no,n,train,1,200,3,20\no,n,train,1,400,3,21\n");
  const WorkloadTable& rows = *table->only().value();
  EXPECT_TRUE(std::isnan(surroundings(rows.space, rows.power_w).expected[2]));
  EXPECT_THAT(suspicious_power(rows), IsEmpty());
}

TEST(SuspiciousTime, FindsWhatIsFarOffEitherWay) {
  WorkloadTable table = coarse_table();
  table.minibatch_ms[21] *= 2;
  table.minibatch_ms[63] *= 0.5;
  EXPECT_THAT(suspicious_time(table, 0.3), ElementsAre(21, 63));
}

// The tables are not ours to keep here.
TEST(MeasuredTables, HaveFewSuspiciousPowers) {
  const char* given = std::getenv("FLYBALL_DATA");
  const std::filesystem::path folder = given ? given : FLYBALL_SOURCE_DIR "/../shared/data";
  if (!std::filesystem::exists(folder / "orin_agx__resnet18__train.csv"))
    GTEST_SKIP() << "no measured tables: FLYBALL_DATA, or ../shared/data beside the checkout";
  const auto suspects = [&](const std::string& file) {
    const auto table = read_table(folder / file);
    EXPECT_TRUE(table.ok()) << table.error().message;
    return table.ok() ? suspicious_power(table->workloads.front()).size() : 0;
  };
  EXPECT_EQ(suspects("orin_agx__resnet18__train.csv"), 77u);
  EXPECT_EQ(suspects("orin_agx__mobilenet_v3__train.csv"), 16u);
  EXPECT_EQ(suspects("xavier_agx__vit_b16__train.csv"), 0u);
}

}  // namespace
}  // namespace flyball
