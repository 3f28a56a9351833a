// A store damaged in many ways: what it answers is what the whole store answers, or an error that
// says what is damaged; and nothing is written to it.
#include <gmock/gmock.h>

#include "base/files.h"
#include "base/os/temp_folder.h"
#include "base/random.h"
#include "store/sample_testing.h"
#include "store/store.h"

namespace flyball {
namespace {

using testing::HasSubstr;

constexpr size_t page = 4096;

size_t below(Random& random, size_t end) {
  return static_cast<size_t>(random.uniform(0, 1) * static_cast<double>(end)) % end;
}

// One of: flipped bits, a part or a page of zeros, a page in the place of another, a cut, noise.
std::string damaged(std::string bytes, uint64_t seed) {
  Random random(seed);
  const size_t at = below(random, bytes.size()), start = at / page * page;
  switch (seed % 6) {
    case 0:
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << below(random, 8)));
      return bytes;
    case 1:
      for (int i = 0; i < 8; ++i) bytes[below(random, bytes.size())] ^= 0x55;
      return bytes;
    case 2:
      return bytes.replace(start, page, std::string(page, '\0'));
    case 3:
      return bytes.replace(start, page,
                           bytes.substr(below(random, bytes.size() / page) * page, page));
    case 4:
      return bytes.substr(0, at);
    default:
      for (size_t i = at / 512 * 512; i < at / 512 * 512 + 512; ++i)
        bytes[i] = static_cast<char>(below(random, 256));
      return bytes;
  }
}

struct Answers {
  std::vector<StoredRun> runs;
  std::vector<StoredMeasurement> measurements;
  std::vector<BoardFact> facts;
};

Result<Answers> answers_of(Store& store) {
  Answers answers;
  FLYBALL_ASSIGN(answers.runs, store.runs());
  FLYBALL_ASSIGN(answers.measurements, store.measurements({}));
  FLYBALL_ASSIGN(answers.facts, store.facts({}));
  return answers;
}

void expect_same(const Answers& a, const Answers& b) {
  ASSERT_EQ(a.runs.size(), b.runs.size());
  for (size_t i = 0; i < a.runs.size(); ++i) {
    EXPECT_EQ(a.runs[i].request.command, b.runs[i].request.command);
    EXPECT_EQ(a.runs[i].answer, b.runs[i].answer);
    EXPECT_EQ(a.runs[i].measurements, b.runs[i].measurements);
  }
  ASSERT_EQ(a.measurements.size(), b.measurements.size());
  for (size_t i = 0; i < a.measurements.size(); ++i)
    EXPECT_EQ(a.measurements[i].measurement, b.measurements[i].measurement);
  ASSERT_EQ(a.facts.size(), b.facts.size());
  for (size_t i = 0; i < a.facts.size(); ++i) EXPECT_EQ(a.facts[i].json, b.facts[i].json);
}

class StoreDamage : public testing::Test {
 protected:
  StoreDamage() {
    {
      auto store = Store::open(file_);
      EXPECT_TRUE(store.ok());
      std::vector<Measurement> many;
      for (int i = 0; i < 60; ++i) many.push_back(sample_measurement(i, i % 7 == 0 ? 800 : 20));
      EXPECT_TRUE(store->add_run(sample_request(), many, R"({"choice":null})").ok());
      EXPECT_TRUE(store->add_run(sample_request(), {many.data(), 5}, "").ok());
      BoardFact fact;
      fact.kind = BoardFactKind::idle_power;
      fact.json = R"({"power_w":5.25})";
      EXPECT_TRUE(store->keep_fact(fact).ok());
      EXPECT_TRUE(store->delete_run(2).ok());  // leaves free pages
      whole_ = answers_of(*store).value();
    }
    sound_ = read_file(file_).value();
  }
  void damage(uint64_t seed) {
    damaged_ = damaged(sound_, seed);
    ASSERT_TRUE(write_file(file_, damaged_).ok());
  }
  // It says which file, what to do, and left the file as it is.
  void expect_said(const Error& error) {
    EXPECT_EQ(error.code, Code::corrupt) << error.message;
    EXPECT_THAT(error.message, HasSubstr(file_.string()));
    EXPECT_FALSE(error.hint.empty());
    EXPECT_EQ(read_file(file_).value(), damaged_) << "written to";
  }
  void expect_same_or_said(const Result<Answers>& read) {
    if (read.ok())
      expect_same(*read, whole_);
    else
      expect_said(read.error());
  }

  TempFolder folder_;
  std::filesystem::path file_ = folder_ / "store.db";
  std::string sound_, damaged_;
  Answers whole_;
};

TEST_F(StoreDamage, IsSaidOrChangesNoAnswer) {
  size_t said = 0;
  for (uint64_t seed = 0; seed < 120; ++seed) {
    SCOPED_TRACE(seed);
    damage(seed);
    auto store = Store::open_to_read(file_);
    const auto read = store.ok() ? answers_of(*store) : store.error();
    expect_same_or_said(read);
    said += !read.ok();
  }
  EXPECT_GT(said, 60u);
}

TEST_F(StoreDamage, IsSaidOrChangesNoAnswerOfAStoreTooLargeToBeChecked) {
  for (uint64_t seed = 1000; seed < 1120; ++seed) {
    SCOPED_TRACE(seed);
    damage(seed);
    auto store = Store::open_to_read(file_, {.checked_bytes = 0});
    expect_same_or_said(store.ok() ? answers_of(*store) : store.error());
  }
}

TEST_F(StoreDamage, IsNotWrittenTo) {
  for (uint64_t seed = 2000; seed < 2060; ++seed) {
    SCOPED_TRACE(seed);
    damage(seed);
    Status status;
    {
      auto store = Store::open(file_);
      status = store.ok() ? Status() : store.error();
      if (store.ok()) {
        EXPECT_TRUE(store->add_measurement(sample_measurement(1)).ok());
        EXPECT_TRUE(store->check().ok());
      }
    }
    if (!status) expect_said(status.error());
  }
}

}  // namespace
}  // namespace flyball
