// The one list of workloads. A new one is an entry in workload.cc, a file with its network and a
// line in networks.cc, which stands in the module.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/status.h"
#include "data/collate.h"
#include "space/axis.h"

namespace flyball {

/// What a network sees and says.
struct NetworkShape {
  TensorShape input{};  ///< of one sample; of a picture: channels, height, width; of text: tokens
  int64_t classes = 0;  ///< of text: entries of the vocabulary
};

/// A network that Flyball brings along, with what it is usually trained on.
struct Workload {
  std::string name;        ///< as on the command line and in tables: "resnet18"
  std::string summary;     ///< one line for people
  std::string dataset;     ///< default kind of dataset: "mnist", "images", "coco"
  NetworkShape shape;      ///< default input and classes
  int64_t samples = 0;     ///< samples of one epoch of the default dataset
  int64_t parameters = 0;  ///< trainable numbers at the default shape
  /// Measured as cost/memory.h says, fp32, CPU, default shape: weights with what a network keeps
  /// besides, and the peak of a training step with momentum on 16 samples.
  int64_t weight_bytes = 0, training_bytes = 0;
  std::vector<Phase> phases;
  /// How samples of a dataset become its minibatches.
  Result<CollatePtr> (*collate)(const Dataset& dataset, const CollateOptions& options);
};

const std::vector<Workload>& workloads();
/// The FILE of "script:FILE", a TorchScript module that stands in for a workload; "" for others.
std::string script_file(const std::string& workload);
/// The named workload; the error names the closest one, or all there are.
Result<const Workload*> find_workload(const std::string& name);
/// The collate of the named workload over a dataset; for "script:FILE" that of the first workload
/// that is trained on such data. Errors:
/// unknown workload, a dataset of another kind than it takes.
Result<CollatePtr> make_collate(const std::string& workload, const Dataset& dataset,
                                const CollateOptions& options);

}  // namespace flyball
