#include "graph/onnx_values.h"

#include <onnx/defs/tensor_proto_util.h>

#include <algorithm>
#include <cmath>
#include <string_view>

#include "graph/onnx_attributes.h"

namespace flyball {
namespace {

using T = onnx::TensorProto;
using Sizes = std::vector<int64_t>;
using Maybe = std::optional<OnnxNumbers>;
using Inputs = std::vector<OnnxValue>;

constexpr size_t kFew = 256;
constexpr long double kMost = 9.3e18L;  // no 64-bit integer lies beyond

bool is_integer(int type) {
  return type == T::INT64 || type == T::INT32 || type == T::BOOL;
}

// Of sizes that are few, else more than that.
size_t count_of(const Sizes& sizes, size_t from = 0) {
  size_t count = 1;
  for (size_t d = from; d < sizes.size(); ++d) {
    if (sizes[d] < 0 || sizes[d] > static_cast<int64_t>(kFew)) return kFew + 1;
    count *= static_cast<size_t>(sizes[d]);
    if (count > kFew) return kFew + 1;
  }
  return count;
}

// Numbers of an input, which may be missing; of older files an attribute instead.
Maybe numbers(const onnx::NodeProto& node, const Inputs& inputs, size_t index,
              std::string_view instead) {
  if (index < inputs.size() && inputs[index].numbers) return *inputs[index].numbers;
  if (static_cast<int>(index) < node.input_size() && !node.input(static_cast<int>(index)).empty())
    return {};
  const auto* const found = attribute_of(node, instead);
  return found ? OnnxNumbers(found->ints().begin(), found->ints().end()) : OnnxNumbers{};
}

bool known(const Inputs& inputs) {
  return !inputs.empty() &&
         std::ranges::all_of(inputs, [](const OnnxValue& in) { return in.numbers && in.sizes; });
}

// A place along a dimension; negative ones count from its end.
int64_t place(long double at, int64_t size, int64_t least, int64_t most) {
  if (at < 0) at += static_cast<long double>(size);
  return static_cast<int64_t>(
      std::clamp(at, static_cast<long double>(least), static_cast<long double>(most)));
}

Maybe shape(const onnx::NodeProto& node, const Inputs& inputs) {
  if (inputs.empty() || !inputs[0].sizes) return {};
  const Sizes& sizes = *inputs[0].sizes;
  const auto rank = static_cast<int64_t>(sizes.size());
  const auto bound = [&](std::string_view name, int64_t otherwise) {
    return place(static_cast<long double>(integer_of(node, name, otherwise)), rank, 0, rank);
  };
  const int64_t from = bound("start", 0), to = bound("end", rank);
  if (from >= to) return OnnxNumbers{};
  return OnnxNumbers(sizes.begin() + from, sizes.begin() + to);
}

Maybe size(const Inputs& inputs) {
  if (inputs.empty() || !inputs[0].sizes) return {};
  long double count = 1;
  for (const int64_t each : *inputs[0].sizes) count *= static_cast<long double>(each);
  return OnnxNumbers{count};
}

// Along the first dimension.
Maybe gather(const onnx::NodeProto& node, const Inputs& inputs) {
  if (!known(inputs) || inputs.size() != 2 || inputs[0].sizes->empty()) return {};
  const Sizes& sizes = *inputs[0].sizes;
  const OnnxNumbers& from = *inputs[0].numbers;
  const int64_t axis = integer_of(node, "axis", 0);
  if (axis != 0 && axis != -static_cast<int64_t>(sizes.size())) return {};
  const size_t row = count_of(sizes, 1);
  OnnxNumbers taken;
  for (const long double index : *inputs[1].numbers) {
    const int64_t at = place(index, sizes[0], -1, sizes[0]);
    if (at < 0 || at >= sizes[0] || taken.size() + row > kFew) return {};
    const auto start = from.begin() + at * static_cast<int64_t>(row);
    taken.insert(taken.end(), start, start + static_cast<int64_t>(row));
  }
  return taken;
}

// Along the first dimension.
Maybe concat(const onnx::NodeProto& node, const Inputs& inputs) {
  if (!known(inputs)) return {};
  const int64_t axis = integer_of(node, "axis", 0);
  if (axis != 0 && axis != -static_cast<int64_t>(inputs[0].sizes->size())) return {};
  OnnxNumbers all;
  for (const OnnxValue& input : inputs) {
    if (all.size() + input.numbers->size() > kFew) return {};
    all.insert(all.end(), input.numbers->begin(), input.numbers->end());
  }
  return all;
}

// Along the first dimension alone.
Maybe slice(const onnx::NodeProto& node, const Inputs& inputs) {
  if (inputs.empty() || !inputs[0].numbers || !inputs[0].sizes || inputs[0].sizes->empty())
    return {};
  const Maybe starts = numbers(node, inputs, 1, "starts"), ends = numbers(node, inputs, 2, "ends"),
              axes = numbers(node, inputs, 3, "axes"), steps = numbers(node, inputs, 4, "steps");
  if (!starts || !ends || !axes || !steps) return {};
  if (starts->size() != 1 || ends->size() != 1 || axes->size() > 1 || steps->size() > 1) return {};
  const Sizes& sizes = *inputs[0].sizes;
  const auto rank = static_cast<long double>(sizes.size());
  if (!axes->empty() && axes->front() != 0 && axes->front() != -rank) return {};
  const long double step = steps->empty() ? 1 : steps->front();
  if (step == 0 || std::abs(step) > kFew) return {};
  const int64_t length = sizes[0], back = step < 0 ? 1 : 0;
  if (length == 0) return OnnxNumbers{};
  const int64_t from = place(starts->front(), length, 0, length - back);
  const int64_t to = place(ends->front(), length, -back, length);
  const size_t row = count_of(sizes, 1);
  OnnxNumbers taken;
  for (int64_t at = from; step > 0 ? at < to : at > to; at += static_cast<int64_t>(step))
    for (size_t i = 0; i < row; ++i)
      taken.push_back(inputs[0].numbers->at(static_cast<size_t>(at) * row + i));
  return taken;
}

Maybe transpose(const onnx::NodeProto& node, const Inputs& inputs) {
  if (!known(inputs)) return {};
  const Sizes& sizes = *inputs[0].sizes;
  if (sizes.size() == 1) return *inputs[0].numbers;
  const auto* const order = attribute_of(node, "perm");
  const bool swaps = !order || (order->ints_size() == 2 && order->ints(0) == 1);
  if (sizes.size() != 2 || !swaps) return {};
  const auto rows = static_cast<size_t>(sizes[0]), columns = static_cast<size_t>(sizes[1]);
  OnnxNumbers turned;
  for (size_t c = 0; c < columns; ++c)
    for (size_t r = 0; r < rows; ++r) turned.push_back(inputs[0].numbers->at(r * columns + c));
  return turned;
}

Maybe repeated(const onnx::NodeProto& node, const Inputs& inputs, size_t count) {
  if (node.op_type() == "Expand") {
    if (inputs.empty() || !inputs[0].numbers || inputs[0].numbers->size() != 1) return {};
    return OnnxNumbers(count, inputs[0].numbers->front());
  }
  const auto* const value = attribute_of(node, "value");
  const Maybe one = value ? small_numbers(value->t()) : OnnxNumbers{0};
  if (!one || one->size() != 1) return {};
  return OnnxNumbers(count, one->front());
}

Maybe range(const Inputs& inputs, size_t count) {
  if (!known(inputs) || inputs.size() != 3) return {};
  OnnxNumbers all;
  for (size_t i = 0; i < count; ++i)
    all.push_back(inputs[0].numbers->at(0) +
                  static_cast<long double>(i) * inputs[2].numbers->at(0));
  return all;
}

std::optional<long double> one(std::string_view op, const onnx::NodeProto& node, int type,
                               long double a) {
  if (op == "Neg") return -a;
  if (op == "Abs") return std::abs(a);
  if (op == "Floor") return std::floor(a);
  if (op == "Ceil") return std::ceil(a);
  if (op == "Sqrt" && a >= 0) return std::sqrt(a);
  if (op == "Not") return a == 0 ? 1 : 0;
  if (op != "Cast") return {};
  const int64_t to = integer_of(node, "to", type);
  return to == T::BOOL ? (a != 0 ? 1 : 0) : is_integer(type) ? std::trunc(a) : a;
}

std::optional<long double> two(std::string_view op, const onnx::NodeProto& node, int type,
                               long double a, long double b) {
  if (op == "Add") return a + b;
  if (op == "Sub") return a - b;
  if (op == "Mul") return a * b;
  if (op == "Min") return std::min(a, b);
  if (op == "Max") return std::max(a, b);
  if (op == "Equal") return a == b ? 1 : 0;
  if (op == "Less") return a < b ? 1 : 0;
  if (op == "Greater") return a > b ? 1 : 0;
  if (op == "And") return a != 0 && b != 0 ? 1 : 0;
  if (op == "Or") return a != 0 || b != 0 ? 1 : 0;
  if (b == 0) return {};
  if (op == "Div") return is_integer(type) ? std::trunc(a / b) : a / b;
  if (op != "Mod") return {};
  const long double rest = std::fmod(a, b);  // of the sign of a; ONNX's of that of b
  const bool other = integer_of(node, "fmod", 0) == 0 && rest != 0 && (rest < 0) != (b < 0);
  return other ? rest + b : rest;
}

// Of operands that have `count` numbers, or one.
Maybe each(const onnx::NodeProto& node, const Inputs& inputs, int type, size_t count) {
  const std::string& op = node.op_type();
  if (!known(inputs) || inputs.size() > 3) return {};
  for (const OnnxValue& input : inputs)
    if (input.numbers->size() != count && input.numbers->size() != 1) return {};
  OnnxNumbers result;
  for (size_t i = 0; i < count; ++i) {
    const auto in = [&](size_t which) {
      const OnnxNumbers& list = *inputs[which].numbers;
      return list[list.size() == 1 ? 0 : i];
    };
    std::optional<long double> value;
    if (inputs.size() == 1) value = one(op, node, type, in(0));
    if (inputs.size() == 2) value = two(op, node, type, in(0), in(1));
    if (inputs.size() == 3 && op == "Where") value = in(in(0) != 0 ? 1 : 2);
    if (!value) return {};
    result.push_back(*value);
  }
  return result;
}

Maybe product(const Inputs& inputs, size_t count) {
  if (!known(inputs) || count != 1) return {};
  long double all = 1;
  for (const long double factor : *inputs[0].numbers) all *= factor;
  return OnnxNumbers{all};
}

Maybe unchecked(const onnx::NodeProto& node, const Inputs& inputs, int type, size_t count) {
  const std::string& op = node.op_type();
  if (op == "Shape") return shape(node, inputs);
  if (op == "Size") return size(inputs);
  if (op == "ConstantOfShape" || op == "Expand") return repeated(node, inputs, count);
  if (inputs.empty() || !inputs[0].numbers) return {};
  if (op == "Reshape" || op == "Squeeze" || op == "Unsqueeze" || op == "Flatten" ||
      op == "Identity")
    return *inputs[0].numbers;
  if (op == "Gather") return gather(node, inputs);
  if (op == "Concat") return concat(node, inputs);
  if (op == "Slice") return slice(node, inputs);
  if (op == "Transpose") return transpose(node, inputs);
  if (op == "Range") return range(inputs, count);
  if (op == "ReduceProd") return product(inputs, count);
  return each(node, inputs, type, count);
}

template <class Number>
OnnxNumbers parsed(const onnx::TensorProto& tensor) {
  const std::vector<Number> numbers = onnx::ParseData<Number>(&tensor);
  return {numbers.begin(), numbers.end()};
}

}  // namespace

std::optional<OnnxNumbers> small_numbers(const onnx::TensorProto& tensor) {
  if (count_of({tensor.dims().begin(), tensor.dims().end()}) > kFew) return {};
  switch (tensor.data_type()) {
    case T::INT64:
      return parsed<int64_t>(tensor);
    case T::INT32:
      return parsed<int32_t>(tensor);
    case T::FLOAT:
      return parsed<float>(tensor);
    case T::DOUBLE:
      return parsed<double>(tensor);
    case T::BOOL:
      if (tensor.has_raw_data())
        return OnnxNumbers(tensor.raw_data().begin(), tensor.raw_data().end());
      return OnnxNumbers(tensor.int32_data().begin(), tensor.int32_data().end());
    default:
      return {};
  }
}

std::optional<onnx::TensorProto> tensor_of(const OnnxNumbers& numbers, int type,
                                           const std::vector<int64_t>& sizes) {
  onnx::TensorProto tensor;
  tensor.set_data_type(type);
  for (const int64_t size : sizes) tensor.add_dims(size);
  for (const long double value : numbers) {
    if (type == T::INT64)
      tensor.add_int64_data(static_cast<int64_t>(value));
    else if (type == T::INT32 || type == T::BOOL)
      tensor.add_int32_data(static_cast<int32_t>(value));
    else if (type == T::FLOAT)
      tensor.add_float_data(static_cast<float>(value));
    else if (type == T::DOUBLE)
      tensor.add_double_data(static_cast<double>(value));
    else
      return {};
  }
  return tensor;
}

std::optional<OnnxNumbers> worked_out(const onnx::NodeProto& node,
                                      const std::vector<OnnxValue>& inputs, int type,
                                      const std::vector<int64_t>& sizes) {
  const size_t count = count_of(sizes);
  if (count > kFew || (!is_integer(type) && type != T::FLOAT && type != T::DOUBLE)) return {};
  auto result = unchecked(node, inputs, type, count);
  if (!result || result->size() != count) return {};
  const long double most = type == T::INT32 ? 2147483647.L : kMost;
  for (const long double value : *result)
    if (!(std::abs(value) <= most)) return {};
  return result;
}

}  // namespace flyball
