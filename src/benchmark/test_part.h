// How well a network does on the part of a data set that it was not trained on.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "base/status.h"
#include "data/loader/loader.h"
#include "workload/stepper.h"

namespace flyball {

/// What is told of how well a network does, each by one kind of task.
enum class Quality {
  accuracy,    ///< of classes: the share whose highest logit is theirs
  perplexity,  ///< of text: of the word behind each; lower is better
  map50,       ///< of boxes: mean average precision at an IoU of one half
};
const char* quality_name(Quality quality);
Result<Quality> parse_quality(const std::string& text);
bool lower_is_better(Quality quality);
/// Is `value` as good as `target`, or better?
bool reaches(Quality quality, double value, double target);

class TestPart {
 public:
  /// The test part of the set in `folder`, as `workload` reads it; `image_size` 0: as usual.
  /// Errors: no test part, data of a kind that tells no such quality.
  static Result<TestPart> open(const std::string& workload, const std::filesystem::path& folder,
                               Quality quality, int64_t batch_size, int image_size = 0);

  /// Over all its samples; changes no weights.
  Result<double> judge(Stepper& stepper);
  int64_t samples() const { return loader_->samples(); }

 private:
  TestPart(Quality quality, std::unique_ptr<Loader> loader)
      : quality_(quality), loader_(std::move(loader)) {}

  Quality quality_;
  std::unique_ptr<Loader> loader_;
};

}  // namespace flyball
