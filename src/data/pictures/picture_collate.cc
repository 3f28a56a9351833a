#include "data/pictures/picture_collate.h"

#include <utility>

namespace flyball {
namespace {

constexpr size_t kPicture = 0, kLabel = 1;

struct PictureScratch final : CollateScratch {
  Workspace workspace;
};

class PictureCollate final : public Collate {
 public:
  explicit PictureCollate(Transform transform) : transform_(std::move(transform)) {}

  std::vector<TensorSpec> layout() const override {
    const auto [channels, height, width] = transform_.shape();
    return {{image_tensor, DType::float32, {channels, height, width}},
            {label_tensor, DType::int64, {}}};
  }
  std::unique_ptr<CollateScratch> scratch() const override {
    return std::make_unique<PictureScratch>();
  }
  Status add(const RawSample& sample, uint64_t seed, CollateScratch* scratch,
             BatchBuffer& batch) const override {
    Workspace& workspace = static_cast<PictureScratch*>(scratch)->workspace;
    FLYBALL_CHECK(transform_.apply(sample, seed, workspace, batch.row<float>(kPicture)));
    batch.row<int64_t>(kLabel)[0] = sample.label;
    return {};
  }

 private:
  Transform transform_;
};

template <class T>
TensorView tensor(const char* name, std::span<const T> numbers, TensorShape shape) {
  return {name, dtype_of<T>(), shape, reinterpret_cast<const std::byte*>(numbers.data())};
}

}  // namespace

CollatePtr make_picture_collate(Transform transform) {
  return std::make_shared<PictureCollate>(std::move(transform));
}

Result<CollatePtr> open_picture_collate(const Dataset& dataset, const CollateOptions& options) {
  if (!dataset.parts().empty())
    return Error{Code::invalid_argument,
                 "a dataset of kind '" + dataset.kind() + "' does not say what each picture shows",
                 "choose one with a class for each picture, or a workload for this one"};
  TransformOptions usual = default_transform(dataset.kind(), options.training);
  if (options.image_size != 0) {
    if (usual.crop == Crop::keep)
      return Error{
          Code::invalid_argument,
          "pictures of " + dataset.kind() + " are taken as they are: none has another size",
          "leave --image-size out, or choose JPEG pictures"};
    FLYBALL_CHECK(check_image_size(options.image_size, 1));
    usual.size = options.image_size;
  }
  FLYBALL_ASSIGN(Transform transform, Transform::create(dataset, std::move(usual)));
  return make_picture_collate(std::move(transform));
}

PictureBatch::PictureBatch(std::span<const float> images, std::span<const int64_t> labels,
                           TensorShape shape)
    : count_(labels.empty() ? 1 : 2) {
  const int64_t elements = shape.elements();
  samples_ = elements > 0 ? static_cast<int64_t>(images.size()) / elements : 0;
  TensorShape all{samples_};
  for (const int64_t size : shape) all.append(size);
  tensors_ = {tensor(image_tensor, images, all),
              tensor(label_tensor, labels, {static_cast<int64_t>(labels.size())})};
}

}  // namespace flyball
