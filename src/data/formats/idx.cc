#include "data/formats/idx.h"

#include <fmt/format.h>

#include <set>
#include <string>

#include "base/files.h"
#include "data/formats/source.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
constexpr uint32_t kImagesMagic = 0x00000803;  // unsigned bytes, three dimensions
constexpr uint32_t kLabelsMagic = 0x00000801;
constexpr uint32_t kLargestDimension = 4096;
constexpr int64_t kMnistClasses = 10;

std::string stem(Split split, bool images) {
  return fmt::format("{}-{}", split == Split::train ? "train" : "t10k",
                     images ? "images" : "labels");
}

// The file that exists among the names in use, or the standard name when none does.
fs::path find_file(const fs::path& folder, Split split, bool images) {
  const std::string type = images ? "idx3-ubyte" : "idx1-ubyte";
  std::error_code ignored;
  for (const char* dot : {"-", "."})
    for (const char* suffix : {"", ".gz"}) {
      fs::path path = folder / (stem(split, images) + dot + type + suffix);
      if (fs::exists(path, ignored)) return path;
    }
  return folder / (stem(split, images) + "-" + type);
}

uint32_t big_endian(const uint8_t* bytes) {
  return uint32_t{bytes[0]} << 24 | uint32_t{bytes[1]} << 16 | uint32_t{bytes[2]} << 8 | bytes[3];
}

void append_big_endian(std::string& out, uint32_t value) {
  for (int shift = 24; shift >= 0; shift -= 8) out += static_cast<char>(value >> shift & 0xff);
}

Error not_idx(const ByteSource& file, const std::string& complaint) {
  return {Code::corrupt, fmt::format("{}: {}", file.path().string(), complaint),
          "fetch it again; `flyball dataset check` looks at the whole folder"};
}

struct Header {
  uint32_t dims[3] = {};
  uint64_t bytes = 0;
};

// Checks magic and size, so that every sample is known to lie within the file.
Result<Header> read_header(const ByteSource& file, uint32_t magic) {
  Header header;
  const int count = static_cast<int>(magic & 0xff);
  header.bytes = 4 + 4 * static_cast<uint64_t>(count);
  uint8_t raw[16];
  if (file.size() < header.bytes)
    return not_idx(file, fmt::format("{} bytes are too few for an IDX header", file.size()));
  FLYBALL_CHECK(file.read(0, std::span(raw, header.bytes)));
  if (big_endian(raw) != magic)
    return not_idx(file,
                   fmt::format("begins with {:#010x} where an IDX file of its kind has {:#010x}",
                               big_endian(raw), magic));
  uint64_t content = 1;
  for (int i = 0; i < count; ++i) {
    header.dims[i] = big_endian(raw + 4 + 4 * i);
    if (i > 0 && (header.dims[i] == 0 || header.dims[i] > kLargestDimension))
      return not_idx(file, fmt::format("images with a side of {} pixels", header.dims[i]));
    content *= header.dims[i];
  }
  if (file.size() != header.bytes + content)
    return not_idx(file, fmt::format("has {} bytes where its header tells of {}", file.size(),
                                     header.bytes + content));
  return header;
}

class IdxDataset final : public Dataset {
 public:
  IdxDataset(std::shared_ptr<const ByteSource> images, Header header, std::vector<uint8_t> labels,
             fs::path labels_path, int64_t classes)
      : images_(std::move(images)),
        header_(header),
        labels_(std::move(labels)),
        labels_path_(std::move(labels_path)),
        classes_(classes) {}

  std::string kind() const override { return "mnist"; }
  int64_t size() const override { return static_cast<int64_t>(labels_.size()); }
  int64_t classes() const override { return classes_; }
  std::array<int, 3> shape() const override {
    return {1, static_cast<int>(header_.dims[1]), static_cast<int>(header_.dims[2])};
  }

  Status fetch(int64_t index, RawSample& sample) const override {
    const size_t i = static_cast<size_t>(index);
    const size_t bytes = size_t{header_.dims[1]} * header_.dims[2];
    sample.encoding = Encoding::planes;
    sample.shape = shape();
    sample.label = labels_[i];
    sample.bytes.resize(bytes);
    if (sample.label >= classes_)
      return Error{Code::corrupt,
                   fmt::format("{}: label {} of sample {} is out of range, there are {} classes",
                               labels_path_.string(), sample.label, index, classes_),
                   "mend the label file"};
    return images_->read(header_.bytes + i * bytes, sample.bytes);
  }

  std::string name(int64_t index) const override {
    return fmt::format("{} sample {}", images_->path().string(), index);
  }
  std::vector<fs::path> files() const override { return {images_->path(), labels_path_}; }

 private:
  std::shared_ptr<const ByteSource> images_;
  Header header_;
  std::vector<uint8_t> labels_;
  fs::path labels_path_;
  int64_t classes_;
};

}  // namespace

bool has_idx(const fs::path& folder, Split split) {
  std::error_code ignored;
  return fs::exists(find_file(folder, split, true), ignored) ||
         fs::exists(find_file(folder, split, false), ignored);
}

namespace {

Result<std::vector<uint8_t>> read_labels(const ByteSource& file) {
  FLYBALL_ASSIGN(const Header header, read_header(file, kLabelsMagic));
  std::vector<uint8_t> labels(header.dims[0]);
  FLYBALL_CHECK(file.read(header.bytes, labels));
  return labels;
}

int64_t count_classes_of(const std::vector<uint8_t>& labels) {
  const std::set<uint8_t> seen(labels.begin(), labels.end());
  int64_t classes = kMnistClasses;
  while (classes <= 255 && seen.contains(static_cast<uint8_t>(classes))) ++classes;
  return classes;
}

// Of the training part where there is one, else of these.
Result<int64_t> classes_known(const fs::path& folder, Split split,
                              const std::vector<uint8_t>& labels) {
  const fs::path training = find_file(folder, Split::train, false);
  std::error_code ignored;
  if (split == Split::train || !fs::exists(training, ignored)) return count_classes_of(labels);
  FLYBALL_ASSIGN(const auto file, ByteSource::open(training));
  FLYBALL_ASSIGN(const auto known, read_labels(*file));
  return count_classes_of(known);
}

}  // namespace

Result<DatasetPtr> open_idx(const fs::path& folder, Split split, int64_t classes) {
  FLYBALL_ASSIGN(auto images, ByteSource::open(find_file(folder, split, true)));
  FLYBALL_ASSIGN(auto labels, ByteSource::open(find_file(folder, split, false)));
  FLYBALL_ASSIGN(const Header image_header, read_header(*images, kImagesMagic));
  FLYBALL_ASSIGN(std::vector<uint8_t> values, read_labels(*labels));
  if (image_header.dims[0] != values.size())
    return Error{Code::corrupt,
                 fmt::format("{} has {} images, {} has {} labels", images->path().string(),
                             image_header.dims[0], labels->path().string(), values.size()),
                 "the two files must come from the same set"};
  if (image_header.dims[0] == 0) return not_idx(*images, "holds no images");
  if (classes == 0) {
    FLYBALL_ASSIGN(classes, classes_known(folder, split, values));
  }
  return DatasetPtr(std::make_shared<IdxDataset>(std::move(images), image_header, std::move(values),
                                                 labels->path(), classes));
}

Status write_idx(const fs::path& folder, Split split, std::span<const uint8_t> images,
                 std::span<const uint8_t> labels, int height, int width) {
  std::string content;
  content.reserve(16 + images.size());
  append_big_endian(content, kImagesMagic);
  append_big_endian(content, static_cast<uint32_t>(labels.size()));
  append_big_endian(content, static_cast<uint32_t>(height));
  append_big_endian(content, static_cast<uint32_t>(width));
  content.append(reinterpret_cast<const char*>(images.data()), images.size());
  FLYBALL_CHECK(write_file(folder / (stem(split, true) + "-idx3-ubyte"), content));
  content.clear();
  append_big_endian(content, kLabelsMagic);
  append_big_endian(content, static_cast<uint32_t>(labels.size()));
  content.append(reinterpret_cast<const char*>(labels.data()), labels.size());
  return write_file(folder / (stem(split, false) + "-idx1-ubyte"), content);
}

}  // namespace flyball
