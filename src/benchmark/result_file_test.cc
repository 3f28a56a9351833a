// What an earlier start left goes on; what is of something else stays as it is.
#include "benchmark/result_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/files.h"
#include "base/os/temp_folder.h"

namespace flyball {
namespace {

using testing::HasSubstr;

class ResultFile : public testing::Test {
 protected:
  BenchmarkResult begun() const {
    DeviceInfo board;
    board.name = board.title = "bench";
    board.fingerprint = "bench, 4 cores";
    BenchmarkResult result = begin_result(*benchmark_, board);
    result.mode.values = result.mode_after.values = {{"gpu_mhz", 1300}};
    return result;
  }

  EntryResult trained(const std::string& id) const {
    EntryResult entry;
    entry.entry = *benchmark_->find(id);
    entry.settings.workers = 1;
    entry.libraries = "LibTorch";
    entry.test_samples = 100;
    entry.epochs.emplace_back();
    entry.epochs.back().e2e_s = 2;
    entry.epochs.back().quality = 0.5;
    return entry;
  }

  /// What an earlier start wrote: lenet5 trained, resnet18 failed.
  BenchmarkResult earlier() const {
    BenchmarkResult result = begun();
    result.started_utc = "2026-01-01T00:00:00Z";
    add_entry(*benchmark_,
              failed_entry(*benchmark_->find("resnet18"), {.workers = 1}, Provenance::measured,
                           {Code::unavailable, "no memory", ""}),
              result);
    add_entry(*benchmark_, trained("lenet5"), result);
    return result;
  }

  /// Why the file is not gone on with; "" where it is.
  std::string refused(BenchmarkResult now, const FreeSettings& settings = {.workers = 1}) const {
    const Status status = resume_result(file_, settings, now);
    if (status.ok()) return "";
    EXPECT_EQ(status.error().code, Code::conflict);
    EXPECT_TRUE(now.entries.empty()) << "nothing is taken over from it";
    return status.error().message;
  }

  const Result<Benchmark> benchmark_ = edge_training();
  const TempFolder folder_;
  const std::filesystem::path file_ = folder_ / "result.json";
};

TEST_F(ResultFile, GoesOnWithWhatWasTrainedAndTrainsAgainWhatFailed) {
  BenchmarkResult now = begun();
  ASSERT_TRUE(resume_result(file_, {.workers = 1}, now).ok()) << "no file is there";
  EXPECT_TRUE(now.entries.empty());
  ASSERT_TRUE(write_result(file_, earlier()).ok());
  ASSERT_TRUE(resume_result(file_, {.workers = 1}, now).ok());
  ASSERT_EQ(now.entries.size(), 1U);
  EXPECT_TRUE(is_held(now, *benchmark_->find("lenet5")));
  EXPECT_FALSE(is_held(now, *benchmark_->find("resnet18")));
  EXPECT_EQ(now.started_utc, "2026-01-01T00:00:00Z");
}

TEST_F(ResultFile, RefusesWhatIsOfSomethingElse) {
  ASSERT_TRUE(write_result(file_, earlier()).ok());
  EXPECT_EQ(refused(begun(), {.workers = 2}),
            file_.string() +
                " is there: its lenet5 was trained with other workers, threads or "
                "precision");
  BenchmarkResult other = begun();
  other.board.fingerprint = "another";
  EXPECT_THAT(refused(other), HasSubstr("of another board, or of another mode"));
  other = begun();
  other.mode.values["gpu_mhz"] = 600;
  EXPECT_THAT(refused(other), HasSubstr("of another board, or of another mode"));
  other = begun();
  other.machine = "0123";
  EXPECT_EQ(refused(other), "") << "the file does not say of which it is";
  BenchmarkResult twin = earlier();
  twin.machine = "4567";
  ASSERT_TRUE(write_result(file_, twin).ok());
  EXPECT_THAT(refused(other), HasSubstr("of another board of this kind"));
  other.machine = "4567";
  EXPECT_EQ(refused(other), "");
  other = begun();
  other.definition = "another";
  EXPECT_THAT(refused(other), HasSubstr("of another version"));
  ASSERT_TRUE(write_file(file_, "{}").ok());
  EXPECT_THAT(refused(begun()), HasSubstr("result.json"));
}

// What was trained under another governor would stand beside the one that is named now.
TEST_F(ResultFile, RefusesOtherConditions) {
  BenchmarkResult left = earlier();
  left.board.settings = {{"CPU governor", "powersave"}};
  ASSERT_TRUE(write_result(file_, left).ok());
  BenchmarkResult now = begun();
  now.board.settings = {{"CPU governor", "performance"}};
  EXPECT_EQ(refused(now), file_.string() +
                              " is there: it was measured under other conditions: CPU governor was "
                              "powersave, now performance");
  now.board.settings = left.board.settings;
  EXPECT_EQ(refused(now), "");
}

// An entry keeps the version that trained it, whichever program writes the file again.
TEST_F(ResultFile, EntriesSayWhichProgramTrainedThem) {
  BenchmarkResult left = earlier();
  left.flyball = "0.1";
  ASSERT_TRUE(write_result(file_, left).ok());
  BenchmarkResult now = begun();
  now.flyball = "0.2";
  ASSERT_TRUE(resume_result(file_, {.workers = 1}, now).ok());
  add_entry(*benchmark_, trained("lstm"), now);
  ASSERT_TRUE(write_result(file_, now).ok());
  const auto read = read_benchmark_result(file_);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->edited, "");
  EXPECT_EQ(read->result.flyball, "0.2");
  const auto of = [&](const std::string& id) {
    return std::ranges::find(read->result.entries, id,
                             [](const EntryResult& one) { return one.entry.id; })
        ->flyball;
  };
  EXPECT_EQ(of("lenet5"), "0.1");
  EXPECT_EQ(of("lstm"), "0.2");
}

TEST_F(ResultFile, AMachineIsToldByADigestOfItsId) {
  EXPECT_EQ(machine_digest(folder_.path()), "");
  std::filesystem::create_directories(folder_ / "etc");
  ASSERT_TRUE(write_file(folder_ / "etc/machine-id", "9f8e7d6c5b4a39281706f5e4d3c2b1a0\n").ok());
  const std::string one = machine_digest(folder_.path());
  EXPECT_EQ(one.size(), 16U);
  EXPECT_THAT("9f8e7d6c5b4a39281706f5e4d3c2b1a0", testing::Not(HasSubstr(one)));
  ASSERT_TRUE(write_file(folder_ / "etc/machine-id", "0f8e7d6c5b4a39281706f5e4d3c2b1a0\n").ok());
  EXPECT_NE(machine_digest(folder_.path()), one);
}

TEST_F(ResultFile, AModeThatChangedWhileItRanIsRemembered) {
  BenchmarkResult left = earlier();
  left.mode_after.values["gpu_mhz"] = 600;
  ASSERT_TRUE(write_result(file_, left).ok());
  BenchmarkResult now = begun();
  ASSERT_TRUE(resume_result(file_, {.workers = 1}, now).ok());
  EXPECT_EQ(now.mode_after.values.at("gpu_mhz"), 600);
}

TEST_F(ResultFile, ASignOffIsOfTheEntriesThatWereThere) {
  BenchmarkResult result = earlier();
  result.signed_off_by = "A. Person";
  add_entry(*benchmark_, trained("lstm"), result);
  EXPECT_EQ(result.signed_off_by, "");
}

TEST_F(ResultFile, ASimulatedResultReplacesNothingThatWasMeasured) {
  EXPECT_TRUE(check_replaced(file_).ok());
  BenchmarkResult result = earlier();
  ASSERT_TRUE(write_result(file_, result).ok());
  EXPECT_EQ(check_replaced(file_).error().message, file_.string() + " is there: it was measured");
  for (EntryResult& entry : result.entries) entry.provenance = Provenance::simulated;
  ASSERT_TRUE(write_result(file_, result).ok());
  EXPECT_TRUE(check_replaced(file_).ok());
}

}  // namespace
}  // namespace flyball
