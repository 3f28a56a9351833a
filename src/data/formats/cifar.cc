#include "data/formats/cifar.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/files.h"
#include "data/formats/source.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
constexpr size_t kRecord = 1 + kCifarPixels;
constexpr int64_t kClasses = 10;

std::vector<std::string> file_names(Split split) {
  if (split == Split::test) return {"test_batch.bin"};
  std::vector<std::string> names;
  for (int i = 1; i <= 5; ++i) names.push_back(fmt::format("data_batch_{}.bin", i));
  return names;
}

fs::path batches_folder(const fs::path& folder) {
  std::error_code ignored;
  const fs::path inner = folder / "cifar-10-batches-bin";
  return fs::is_directory(inner, ignored) ? inner : folder;
}

struct Part {
  std::shared_ptr<const ByteSource> file;
  int64_t end = 0;  ///< samples in this and all parts before it
};

class CifarDataset final : public Dataset {
 public:
  explicit CifarDataset(std::vector<Part> parts) : parts_(std::move(parts)) {}

  std::string kind() const override { return "cifar10"; }
  int64_t size() const override { return parts_.back().end; }
  int64_t classes() const override { return kClasses; }
  std::array<int, 3> shape() const override { return {3, kCifarSide, kCifarSide}; }

  Status fetch(int64_t index, RawSample& sample) const override {
    const auto [part, record] = find(index);
    sample.encoding = Encoding::planes;
    sample.shape = shape();
    sample.bytes.resize(kRecord);
    FLYBALL_CHECK(part->file->read(static_cast<uint64_t>(record) * kRecord, sample.bytes));
    sample.label = sample.bytes.front();
    sample.bytes.erase(sample.bytes.begin());
    if (sample.label >= kClasses)
      return Error{Code::corrupt,
                   fmt::format("{} record {}: label {} is out of range, there are 10 classes",
                               part->file->path().string(), record, sample.label),
                   "fetch the file again"};
    return {};
  }

  std::string name(int64_t index) const override {
    const auto [part, record] = find(index);
    return fmt::format("{} record {}", part->file->path().string(), record);
  }

  std::vector<fs::path> files() const override {
    std::vector<fs::path> paths;
    for (const Part& part : parts_) paths.push_back(part.file->path());
    return paths;
  }

 private:
  std::pair<const Part*, int64_t> find(int64_t index) const {
    const auto part = std::upper_bound(parts_.begin(), parts_.end(), index,
                                       [](int64_t i, const Part& p) { return i < p.end; });
    const int64_t begin = part == parts_.begin() ? 0 : std::prev(part)->end;
    return {&*part, index - begin};
  }

  std::vector<Part> parts_;
};

}  // namespace

bool has_cifar10(const fs::path& folder, Split split) {
  std::error_code ignored;
  for (const std::string& name : file_names(split))
    if (fs::exists(batches_folder(folder) / name, ignored)) return true;
  return false;
}

Result<DatasetPtr> open_cifar10(const fs::path& folder, Split split) {
  std::vector<Part> parts;
  int64_t end = 0;
  for (const std::string& name : file_names(split)) {
    FLYBALL_ASSIGN(auto file, ByteSource::open(batches_folder(folder) / name));
    if (file->size() == 0 || file->size() % kRecord != 0)
      return Error{Code::corrupt,
                   fmt::format("{} has {} bytes, which is not a number of whole records of {}",
                               file->path().string(), file->size(), kRecord),
                   "the file is truncated or of another format (CIFAR-10 binary is needed, not the "
                   "Python version): fetch it again"};
    end += static_cast<int64_t>(file->size() / kRecord);
    parts.push_back({std::move(file), end});
  }
  return DatasetPtr(std::make_shared<CifarDataset>(std::move(parts)));
}

Status write_cifar10(const fs::path& folder, Split split, std::span<const uint8_t> images,
                     std::span<const uint8_t> labels) {
  const std::vector<std::string> names = file_names(split);
  for (size_t f = 0; f < names.size(); ++f) {
    std::string content;
    for (size_t i = f * labels.size() / names.size(); i < (f + 1) * labels.size() / names.size();
         ++i) {
      content += static_cast<char>(labels[i]);
      content.append(reinterpret_cast<const char*>(images.data()) + i * kCifarPixels, kCifarPixels);
    }
    FLYBALL_CHECK(write_file(folder / names[f], content));
  }
  return {};
}

}  // namespace flyball
