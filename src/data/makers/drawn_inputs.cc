#include "data/makers/drawn_inputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <optional>

#include "base/random.h"
#include "base/text.h"

namespace flyball {
namespace {

constexpr int64_t kLargest = int64_t{1} << 30;  ///< numbers of a sample
constexpr int64_t kPlaces = 4096;               ///< where a sample's numbers may begin

Error bad(const std::string& text, const std::string& what) {
  return {Code::invalid_argument, fmt::format("'{}': {}", text, what),
          "write [NAME:][DTYPE:]SHAPE, such as 3x224x224, ids:int64:128 or label:int64..9:scalar"};
}

// As it is printed ("3×224×224"), too.
std::optional<TensorShape> parse_shape(std::string text) {
  constexpr std::string_view printed = "×";
  TensorShape shape;
  if (text == "scalar") return shape;
  for (size_t at = 0; (at = text.find(printed, at)) != std::string::npos;)
    text.replace(at, printed.size(), "x");
  for (const std::string& size : split(text, 'x')) {
    const auto number = parse_integer(size);
    if (!number || *number < 1 || *number > kLargest || shape.rank() + 1 >= TensorShape::max_rank)
      return {};
    shape.append(*number);
    if (shape.elements() > kLargest) return {};
  }
  return shape;
}

class DrawnSet final : public Dataset {
 public:
  DrawnSet(int64_t samples, int64_t classes) : samples_(samples), classes_(classes) {}
  std::string kind() const override { return "drawn"; }
  int64_t size() const override { return samples_; }
  int64_t classes() const override { return classes_; }
  std::array<int, 3> shape() const override { return {}; }
  Status fetch(int64_t, RawSample& sample) const override {
    sample.bytes.clear();
    sample.encoding = Encoding::parts;
    return {};
  }
  std::string name(int64_t index) const override { return fmt::format("drawn sample {}", index); }
  std::vector<std::filesystem::path> files() const override { return {}; }

 private:
  int64_t samples_, classes_;
};

class DrawnCollate final : public Collate {
 public:
  DrawnCollate(const std::vector<DrawnTensor>& tensors, uint64_t seed) {
    Random random(mix_seed(seed, 7));
    for (const DrawnTensor& tensor : tensors) {
      layout_.push_back(tensor.spec);
      draw(tensor, random);
    }
  }

  std::vector<TensorSpec> layout() const override { return layout_; }
  Status add(const RawSample&, uint64_t seed, CollateScratch*, BatchBuffer& batch) const override {
    for (size_t i = 0; i < layout_.size(); ++i) {
      const size_t place = mix_seed(seed, i) % kPlaces;
      switch (layout_[i].dtype) {
        case DType::float32:
          copy(i, place, batch.row<float>(i));
          break;
        case DType::float64:
          copy(i, place, batch.row<double>(i));
          break;
        case DType::int64:
          copy(i, place, batch.row<int64_t>(i));
          break;
        case DType::int32:
          copy(i, place, batch.row<int32_t>(i));
          break;
        case DType::uint8:
          copy(i, place, batch.row<uint8_t>(i));
          break;
        case DType::boolean:
          copy(i, place, batch.row<bool>(i));
          break;
      }
    }
    return {};
  }

 private:
  template <class T>
  void fill(const DrawnTensor& tensor, Random& random) {
    const auto count = static_cast<size_t>(tensor.spec.shape.elements() + kPlaces);
    std::vector<std::byte> bytes(count * sizeof(T));
    for (size_t n = 0; n < count; ++n) {
      T number{};
      if constexpr (std::is_floating_point_v<T>)
        number = static_cast<T>(random.uniform(-1.7320508, 1.7320508));
      else
        number = static_cast<T>(random.below(static_cast<size_t>(tensor.most) + 1));
      std::memcpy(bytes.data() + n * sizeof(T), &number, sizeof(T));
    }
    numbers_.push_back(std::move(bytes));
  }
  void draw(const DrawnTensor& tensor, Random& random) {
    switch (tensor.spec.dtype) {
      case DType::float32:
        return fill<float>(tensor, random);
      case DType::float64:
        return fill<double>(tensor, random);
      case DType::int64:
        return fill<int64_t>(tensor, random);
      case DType::int32:
        return fill<int32_t>(tensor, random);
      case DType::uint8:
        return fill<uint8_t>(tensor, random);
      case DType::boolean:
        return fill<bool>(tensor, random);
    }
  }
  template <class T>
  void copy(size_t tensor, size_t place, std::span<T> row) const {
    std::memcpy(row.data(), numbers_[tensor].data() + place * sizeof(T), row.size_bytes());
  }

  std::vector<TensorSpec> layout_;
  std::vector<std::vector<std::byte>> numbers_;  ///< of each: a sample's, and kPlaces more
};

}  // namespace

Result<DrawnTensor> parse_drawn_tensor(const std::string& text, const std::string& name) {
  std::vector<std::string> pieces = split(text, ':');
  DrawnTensor tensor;
  tensor.spec.name = name;
  if (pieces.size() > 3) return bad(text, "three parts at most are wanted");
  const auto shape = parse_shape(pieces.back());
  if (!shape)
    return bad(text, fmt::format("'{}' is no shape of up to five sizes from 1", pieces.back()));
  tensor.spec.shape = *shape;
  pieces.pop_back();
  if (pieces.empty()) return tensor;
  // The last of those left is a type, or the name alone.
  const std::string type = pieces.back();
  const size_t dots = type.find("..");
  const auto dtype = dtype_named(type.substr(0, dots));
  if (!dtype && pieces.size() == 2)
    return bad(text, fmt::format("there is no type '{}': float32, float64, int64, int32, uint8 or "
                                 "boolean",
                                 type));
  if (dtype) {
    tensor.spec.dtype = *dtype;
    pieces.pop_back();
    if (dots != std::string::npos) {
      const auto most = parse_integer(type.substr(dots + 2));
      const int64_t limit = *dtype == DType::uint8 ? 255 : *dtype == DType::boolean ? 1 : INT32_MAX;
      if (!most || *most < 0 || *most > limit || *dtype == DType::float32 ||
          *dtype == DType::float64)
        return bad(text, fmt::format("'{}' is no range of integers", type));
      tensor.most = *most;
    }
  }
  if (pieces.empty()) return tensor;
  if (pieces.front().empty()) return bad(text, "the name is empty");
  tensor.spec.name = pieces.front();
  return tensor;
}

Result<DrawnInputs> make_drawn_inputs(const std::vector<DrawnTensor>& tensors, int64_t samples,
                                      uint64_t seed) {
  int64_t classes = 1;
  for (size_t i = 0; i < tensors.size(); ++i) {
    const std::string& name = tensors[i].spec.name;
    for (size_t j = 0; j < i; ++j)
      if (tensors[j].spec.name == name)
        return Error{Code::invalid_argument, fmt::format("'{}' is the name of two tensors", name),
                     "name each otherwise: NAME:DTYPE:SHAPE"};
    if (name == "label") classes = tensors[i].most + 1;
  }
  return DrawnInputs{std::make_shared<DrawnSet>(samples, classes),
                     std::make_shared<DrawnCollate>(tensors, seed)};
}

}  // namespace flyball
