// check_dataset: what is there, what is broken, and where.
#include "data/makers/check.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "base/parallel.h"
#include "data/formats/coco.h"
#include "data/formats/jpeg_files.h"
#include "data/formats/open.h"
#include "data/pictures/detection_collate.h"
#include "data/pictures/jpeg.h"
#include "data/text/question_collate.h"
#include "data/text/question_set.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
constexpr size_t kListed = 1000;

// Decodes all of a picture, so that damage anywhere in it is seen.
Status check_pixels(const RawSample& sample, bool boxes, JpegReader& reader) {
  if (sample.encoding != Encoding::jpeg) return {};
  FLYBALL_ASSIGN(const JpegInfo info, reader.open(sample.bytes));
  FLYBALL_CHECK(boxes ? check_detection(info, sample) : check_colours(info));
  FLYBALL_ASSIGN(const Pixels pixels, reader.read({0, 0, info.width, info.height}));
  (void)pixels;
  return {};
}

// What no sample has to answer for.
void report_boxes(const std::string& name, const CocoIndex& index, DatasetReport& report) {
  for (const std::string& stray : index.strays)
    if (report.problems.size() < kListed)
      report.problems.push_back(
          {Code::corrupt, stray, "no picture has it: remove it, or mend its image_id"});
  report.problem_count += index.stray_count;
  const auto bare = std::count_if(index.images.begin(), index.images.end(),
                                  [](const CocoImage& image) { return image.count == 0; });
  report.notes.push_back(fmt::format(
      "{}: {} boxes; {} pictures without one are kept, {} boxes of crowds and {} without "
      "an area are left out",
      name, index.boxes.size(), bare, index.crowds, index.empty));
}

// The labels of both parts must mean the same.
void compare_categories(const DatasetPtr& train, const DatasetPtr& test, DatasetReport& report) {
  const auto* one = dynamic_cast<const CocoSet*>(train.get());
  const auto* other = dynamic_cast<const CocoSet*>(test.get());
  if (!one || !other || one->index().categories == other->index().categories) return;
  report.problems.push_back({Code::corrupt,
                             "the categories of the test part are not those of the training part",
                             "use annotations of one edition for both"});
  ++report.problem_count;
}
// Makes a row of tokens of each sample, so that an answer that is not where it should be is seen.
class RowCheck {
 public:
  explicit RowCheck(const Dataset& set) : scratch_(nullptr) {
    auto collate = open_question_collate(set, {.training = false});
    if (!collate.ok()) return;  // samples of another kind
    collate_ = *std::move(collate);
    scratch_ = collate_->scratch();
  }
  Status check(const RawSample& sample) {
    if (!collate_) return {};
    if (!row_) {
      FLYBALL_ASSIGN(row_, BatchBuffer::create(collate_->layout(), 1));
    }
    return collate_->add(sample, 0, scratch_.get(), *row_);
  }

 private:
  CollatePtr collate_;
  std::unique_ptr<CollateScratch> scratch_;
  std::optional<BatchBuffer> row_;
};

// Gathers what several threads find in one part.
class PartCheck {
 public:
  explicit PartCheck(const Dataset& set)
      : set_(set),
        coco_(dynamic_cast<const CocoSet*>(&set)),
        questions_(dynamic_cast<const QuestionSet*>(&set)),
        per_class_(static_cast<size_t>(set.classes())) {}

  void run(size_t threads) {
    parallel_for(
        threads, [this](size_t) { work(); }, threads);
  }

  void report(const std::string& name, DatasetReport& report) {
    DatasetPart part{name, set_.size(), 0, bytes_, 0, 0};
    if (!row_tokens(set_) && !per_class_.empty()) {
      const auto [least, most] = std::minmax_element(per_class_.begin(), per_class_.end());
      part.classes = set_.classes();
      part.smallest_class = *least, part.largest_class = *most;
    }
    report.parts.push_back(part);
    std::sort(problems_.begin(), problems_.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    report.problem_count += static_cast<int64_t>(problems_.size());
    for (auto& [index, error] : problems_)
      if (report.problems.size() < kListed) report.problems.push_back(std::move(error));
    if (coco_) report_boxes(name, coco_->index(), report);
  }

 private:
  struct Samples {
    int64_t first = 0, count = 0;
  };

  // The next one that nobody has taken. Rows of one question are one: to read and cut its text for
  // each of them would take time by the square of its length.
  Samples claim() {
    const std::lock_guard lock(mutex_);
    if (next_ >= set_.size()) return {};
    const int64_t count = questions_ ? questions_->rows_from(next_) : 1;
    return {std::exchange(next_, next_ + count), count};
  }

  void work() {
    RawSample sample;
    JpegReader reader;
    std::vector<int64_t> classes;
    RowCheck rows(set_);
    for (Samples next = claim(); next.count > 0; next = claim()) {
      Status status = set_.fetch(next.first, sample);
      bool named = false;  // by us: what cannot be fetched is named already
      if (status.ok()) {
        classes.clear();
        status = check_pixels(sample, coco_ != nullptr, reader);
        if (status.ok()) status = rows.check(sample);
        if (status.ok()) status = set_.check(sample, classes);
        named = !status.ok();
      }
      const std::lock_guard lock(mutex_);
      if (!status.ok()) {
        for (int64_t i = next.first; i < next.first + next.count; ++i)
          problems_.emplace_back(i, named ? status.error().within(set_.name(i)) : status.error());
        continue;
      }
      bytes_ += next.count * static_cast<int64_t>(sample.bytes.size());
      for (const int64_t shown : classes) ++per_class_[static_cast<size_t>(shown)];
    }
  }

  const Dataset& set_;
  const CocoSet* coco_;
  const QuestionSet* questions_;
  std::mutex mutex_;
  int64_t next_ = 0;
  std::vector<std::pair<int64_t, Error>> problems_;
  std::vector<int64_t> per_class_;
  int64_t bytes_ = 0;
};

std::vector<std::string> list_ignored(const fs::path& folder) {
  std::vector<std::string> names;
  std::error_code problem, ignored;
  for (fs::recursive_directory_iterator entry(folder, problem), end; !problem && entry != end;
       entry.increment(problem))
    if (!entry->is_directory(ignored) && !is_jpeg_name(entry->path().string()) &&
        names.size() < kListed)
      names.push_back(entry->path().string());
  std::sort(names.begin(), names.end());
  return names;
}

}  // namespace

Result<DatasetReport> check_dataset(const fs::path& folder, size_t threads) {
  DatasetReport report;
  FLYBALL_ASSIGN(report.kind, detect_dataset(folder));
  std::array<DatasetPtr, 2> sets;
  for (const Split split : {Split::train, Split::test}) {
    if (!has_part(folder, report.kind, split)) continue;
    const auto set = open_dataset(folder, split);
    if (!set.ok()) {
      report.problems.push_back(set.error());
      ++report.problem_count;
      continue;
    }
    sets[split == Split::train ? 0 : 1] = *set;
    PartCheck check(**set);
    check.run(threads == 0 ? usable_cores() : threads);
    check.report(split == Split::train ? "train" : "test", report);
  }
  compare_categories(sets[0], sets[1], report);
  if (report.kind == "images") report.ignored = list_ignored(folder);
  return report;
}

}  // namespace flyball
