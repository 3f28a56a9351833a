#include "tune/imported_log.h"

#include <gmock/gmock.h>

#include "base/json.h"
#include "base/os/temp_folder.h"

namespace flyball {
namespace {

constexpr const char* text =
    "03-01-2026 12:30:05 RAM 900/7620MB (lfb 8x2MB) CPU [20%@729] VDD_IN 12000mW/12000mW\n"
    "03-01-2026 12:30:06 RAM 902/7620MB (lfb 8x2MB) CPU [22%@729] VDD_IN 13000mW/12500mW\n";

TEST(ImportedLog, SaysWhatEachTraceHolds) {
  const auto log = parse_tegrastats(text, "log");
  ASSERT_TRUE(log.ok()) << log.error().message;
  const auto json = log_json(*log);
  EXPECT_EQ(json["lines"], 2);
  EXPECT_EQ(json["timed"], true);
  const auto& traces = json["traces"];
  const auto rail =
      std::ranges::find_if(traces, [](const auto& t) { return t["name"] == "VDD_IN"; });
  ASSERT_NE(rail, traces.end());
  EXPECT_DOUBLE_EQ((*rail)["mean"], 12.5);
  EXPECT_DOUBLE_EQ((*rail)["min"], 12);
  EXPECT_DOUBLE_EQ((*rail)["max"], 13);
}

TEST(ImportedLog, IsKeptOnceForEachWayToReadIt) {
  const TempFolder folder;
  auto store = *Store::open(folder / "store.db");
  const auto log = parse_tegrastats(text, "log");
  ASSERT_TRUE(log.ok());
  LogImport import{"flyball import", {}, {}};
  const auto first = keep_log(store, import, text, *log, log_json(*log));
  ASSERT_TRUE(first.ok()) << first.error().message;
  EXPECT_FALSE(first->there);
  const auto again = keep_log(store, import, text, *log, log_json(*log));
  EXPECT_TRUE(again->there);
  EXPECT_EQ(again->run, first->run);
  import.clock.utc_offset_s = 3600;
  EXPECT_FALSE(keep_log(store, import, text, *log, log_json(*log))->there);
  const auto kept = SortedJson::parse(store.run(first->run)->answer);
  EXPECT_EQ(kept["traces"][0]["values"].size(), kept["traces"][0]["times_s"].size());
  EXPECT_NEAR(kept["traces"][0]["times_s"][0].get<double>(), 1772368205, 1);
}

TEST(ImportedLog, JoinsARunThatThereIs) {
  const TempFolder folder;
  auto store = *Store::open(folder / "store.db");
  EXPECT_EQ(joined_log_json(store, 7, {}).error().code, Code::not_found);
}

}  // namespace
}  // namespace flyball
