#include "workload/sample_batch.h"

#include <cstring>

#include "base/random.h"
#include "data/pictures/detection_collate.h"
#include "data/text/question_collate.h"
#include "data/text/text_dataset.h"

namespace flyball {
namespace {

constexpr int64_t kBoxes = 8;

template <class Number>
void append(std::string& bytes, Number number) {
  char raw[sizeof(Number)];
  std::memcpy(raw, &number, sizeof number);
  bytes.append(raw, sizeof number);
}

// Left, top, right, bottom: six boxes apart from each other, and two large ones. A detector's
// coarser scales find the large ones, so that the step of all scales is seen.
double edge_of_box(int64_t box, int64_t edge) {
  constexpr double large[] = {240, 480};
  if (box >= kBoxes - 2) return edge < 2 ? 40 : 40 + large[box - (kBoxes - 2)];
  return static_cast<double>(40 * box + (edge < 2 ? 0 : 30));
}

// Of place `i` of a sample's numbers.
double number_at(const TensorSpec& spec, int64_t i, int64_t sample, int64_t step, Random& random) {
  if (spec.name == window_tensor) return static_cast<double>(1000 * sample + step);  // apart
  if (spec.name == mask_tensor || spec.dtype == DType::boolean) return 1;
  if (spec.name == box_tensor) return edge_of_box(i / 4, i % 4);
  if (spec.dtype == DType::float32 || spec.dtype == DType::float64) return random.uniform(0, 1);
  return 0;
}

std::string sample_bytes(const TensorSpec& spec, const TensorShape& shape, int64_t sample,
                         int64_t step) {
  std::string bytes;
  Random random(1);
  for (int64_t i = 0; i < shape.elements(); ++i) {
    const double number = number_at(spec, i, sample, step, random);
    switch (spec.dtype) {
      case DType::float32:
        append(bytes, static_cast<float>(number));
        break;
      case DType::float64:
        append(bytes, number);
        break;
      case DType::int64:
        append(bytes, static_cast<int64_t>(number));
        break;
      case DType::int32:
        append(bytes, static_cast<int32_t>(number));
        break;
      case DType::uint8:
      case DType::boolean:
        append(bytes, static_cast<uint8_t>(number));
        break;
    }
  }
  return bytes;
}

}  // namespace

Result<SampleBatch> make_sample_batch(const Stepper& stepper, int64_t samples,
                                      const TensorShape& shape, int64_t step) {
  std::vector<TensorSpec> specs = stepper.inputs();
  specs.insert(specs.end(), stepper.targets().begin(), stepper.targets().end());
  SampleBatch batch;
  batch.samples_ = samples;
  std::vector<TensorShape> shapes;
  for (const TensorSpec& spec : specs) {
    if (spec.rows == RowLayout::packed)
      return Error{Code::invalid_argument,
                   "a network that takes packed rows of '" + spec.name + "' cannot be described",
                   "describe one that takes padded ones"};
    TensorShape one, all{samples};
    for (const int64_t size : spec.shape)
      one.append(size >= 0 ? size : shape.rank() == 1 ? shape[0] : kBoxes);
    for (const int64_t size : one) all.append(size);
    std::string bytes;
    for (int64_t sample = 0; sample < samples; ++sample)
      bytes += sample_bytes(spec, one, sample, step);
    batch.names_.push_back(spec.name);
    batch.data_.push_back(std::move(bytes));
    shapes.push_back(all);
  }
  for (size_t i = 0; i < specs.size(); ++i)
    batch.views_.push_back({batch.names_[i], specs[i].dtype, shapes[i],
                            reinterpret_cast<const std::byte*>(batch.data_[i].data())});
  return batch;
}

}  // namespace flyball
