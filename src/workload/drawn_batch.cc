#include "workload/drawn_batch.h"

#include "data/pictures/detection_collate.h"
#include "data/text/question_collate.h"
#include "data/text/text_dataset.h"

namespace flyball {
namespace {

constexpr int64_t boxes_of_a_picture = 16;

bool is_of_boxes(const std::string& tensor) {
  return tensor == box_tensor || tensor == box_class_tensor || tensor == box_mask_tensor;
}

}  // namespace

DrawnBatch::DrawnBatch(const Stepper& stepper, int64_t samples) : samples_(samples) {
  for (const auto* specs : {&stepper.inputs(), &stepper.targets()})
    for (const TensorSpec& spec : *specs) draw(spec, stepper.options());
}

void DrawnBatch::draw(const TensorSpec& spec, const StepOptions& options) {
  TensorShape shape{samples_};
  for (size_t d = 0; d < spec.shape.rank(); ++d) {
    const int64_t open = is_of_boxes(spec.name) ? boxes_of_a_picture : options.shape[d];
    shape.append(spec.shape[d] < 0 ? open : spec.shape[d]);
  }
  const auto count = static_cast<size_t>(shape.elements());
  if (spec.dtype == DType::float32) {
    float* const numbers = add<float>(spec.name, shape);
    if (spec.name == box_tensor)
      draw_boxes(numbers, count, static_cast<double>(options.shape[1]));
    else
      for (size_t i = 0; i < count; ++i) numbers[i] = static_cast<float>(random_.normal());
  } else if (spec.dtype == DType::boolean) {
    bool* const numbers = add<bool>(spec.name, shape);
    for (size_t i = 0; i < count; ++i) numbers[i] = true;
  } else {
    int64_t* const numbers = add<int64_t>(spec.name, shape);
    for (size_t i = 0; i < count; ++i) numbers[i] = whole_number(spec.name, options);
  }
}

// Left, top, right, bottom, of 5 to 40 % of the side.
void DrawnBatch::draw_boxes(float* numbers, size_t count, double side) {
  for (size_t i = 0; i + 4 <= count; i += 4) {
    const double size = random_.uniform(0.05, 0.4) * side;
    const double left = random_.uniform(0, side - size), top = random_.uniform(0, side - size);
    size_t place = i;
    for (const double number : {left, top, left + size, top + size})
      numbers[place++] = static_cast<float>(number);
  }
}

int64_t DrawnBatch::whole_number(const std::string& tensor, const StepOptions& options) {
  if (tensor == mask_tensor) return 1;
  if (tensor == window_tensor) return 0;  // text begins: nothing is carried
  int64_t below = options.classes;
  if (tensor == types_tensor) below = 2;
  if (tensor == start_tensor || tensor == end_tensor) below = options.shape[0];
  return static_cast<int64_t>(random_.below(static_cast<size_t>(below)));
}

template <class T>
T* DrawnBatch::add(const std::string& name, const TensorShape& shape) {
  auto& memory = memory_.emplace_back(static_cast<size_t>(shape.elements()) * sizeof(T));
  tensors_.push_back({name, dtype_of<T>(), shape, memory.data()});
  return reinterpret_cast<T*>(memory.data());
}

}  // namespace flyball
