#include "profile/trials/run_data.h"

#include <fmt/format.h>

#include "base/os/file_version.h"
#include "base/text.h"
#include "data/formats/open.h"
#include "data/text/question_set.h"
#include "workload/workload.h"

namespace flyball {
namespace {

constexpr int64_t kDrawnSamples = 1024;  ///< of an epoch
constexpr uint64_t kDrawnSeed = 1;

}  // namespace

void ScriptRequest::tell(StepOptions& step) const {
  step.inputs = inputs;
  step.loss = loss.string();
}

Conditions ScriptRequest::conditions() const {
  Conditions own;
  if (!loss.empty()) own["loss"] = file_version(loss);
  if (!inputs.empty()) own["script inputs"] = join(inputs, ", ");
  std::vector<std::string> tensors;
  for (const DrawnTensor& tensor : drawn)
    tensors.push_back(fmt::format("{} {} to {} of {}", tensor.spec.name,
                                  dtype_name(tensor.spec.dtype), tensor.most,
                                  tensor.spec.shape.text()));
  if (!tensors.empty()) own["drawn"] = join(tensors, ", ");
  return own;
}

Result<RunData> open_run_data(const std::string& workload, const std::filesystem::path& folder,
                              const SampleSize& size, const ScriptRequest& script, bool training) {
  if (!script.drawn.empty()) {
    if (size.image_size != 0)
      return Error{Code::invalid_argument, "--image-size says nothing to drawn tensors",
                   "give their shape with --input"};
    FLYBALL_ASSIGN(const DrawnInputs drawn,
                   make_drawn_inputs(script.drawn, kDrawnSamples, kDrawnSeed));
    return RunData{drawn.dataset, drawn.collate};
  }
  RunData data;
  FLYBALL_ASSIGN(const DatasetPtr stored, open_dataset(folder, Split::train));
  FLYBALL_ASSIGN(data.dataset, with_row_tokens(stored, size.tokens));
  FLYBALL_ASSIGN(data.collate, make_collate(workload, *data.dataset, {training, size.image_size}));
  return data;
}

}  // namespace flyball
