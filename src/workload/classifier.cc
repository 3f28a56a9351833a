#include "workload/classifier.h"

#include <ATen/Functions.h>
#include <fmt/format.h>

#include "data/pictures/picture_collate.h"

namespace flyball {
namespace {

constexpr const char* logits = "logits";

}  // namespace

Status check_labels(const BatchView& batch, int64_t classes) {
  for (const int64_t label : batch.values<int64_t>(label_tensor))
    if (label < 0 || label >= classes)
      return Error{Code::invalid_argument,
                   fmt::format("label {} is not in 0 to {}", label, classes - 1),
                   "give the stepper the classes of the dataset"};
  return {};
}

Classifier::Classifier(const NetworkShape& shape)
    : Network({{image_tensor, DType::float32, shape.input}}, {{label_tensor, DType::int64, {}}}),
      classes_(shape.classes) {}

Status Classifier::check(const BatchView& batch, bool training) const {
  return training ? check_labels(batch, classes_) : Status();
}

void Classifier::answer(const Tensors& batch, Tensors& outputs) {
  outputs.add(logits, forward(batch[image_tensor]));
}

void Classifier::losses(const Tensors& outputs, const Tensors& batch, Tensors& losses) {
  losses.add("loss", at::cross_entropy_loss(outputs[logits], batch[label_tensor]));
}

}  // namespace flyball
