// Networks that say which class a picture shows.
#pragma once

#include "workload/network.h"
#include "workload/workload.h"

namespace flyball {

/// Error: a label that is no class.
Status check_labels(const BatchView& batch, int64_t classes);

/// Takes "image" (float32, C×H×W), answers "logits" (N×classes); the loss is the cross-entropy with
/// "label" (int64). Parameters carry torchvision's names and order.
class Classifier : public Network {
 public:
  explicit Classifier(const NetworkShape& shape);
  /// Samples N×C×H×W in, logits N×classes out.
  virtual torch::Tensor forward(const torch::Tensor& samples) = 0;

  /// Error: a label that is no class.
  Status check(const BatchView& batch, bool training) const final;
  void answer(const Tensors& batch, Tensors& outputs) final;
  void losses(const Tensors& outputs, const Tensors& batch, Tensors& losses) final;

 private:
  int64_t classes_;
};

}  // namespace flyball
