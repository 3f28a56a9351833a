#include "data/formats/coco_index.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <memory>
#include <optional>
#include <unordered_map>

#include "base/files.h"
#include "base/json.h"
#include "base/text.h"

namespace flyball {
namespace {

constexpr size_t kListedStrays = 1000;
constexpr double kLargestSide = 1e6;  // of a picture

// A file as the iterators of a parser that looks at each byte once.
class FileBytes {
 public:
  explicit FileBytes(std::FILE* file) : file_(file), buffer_(size_t{1} << 18) { fill(); }
  bool ended() const { return at_ == size_; }
  char now() const { return buffer_[at_]; }
  void step() {
    if (++at_ == size_) fill();
  }

 private:
  void fill() {
    at_ = 0;
    size_ = std::fread(buffer_.data(), 1, buffer_.size(), file_);
  }
  std::FILE* file_;
  std::vector<char> buffer_;
  size_t at_ = 0, size_ = 0;
};

struct FileIterator {
  using iterator_category = std::input_iterator_tag;
  using value_type = char;
  using difference_type = std::ptrdiff_t;
  using pointer = const char*;
  using reference = char;

  FileBytes* bytes = nullptr;  ///< null: the end
  char operator*() const { return bytes->now(); }
  FileIterator& operator++() {
    bytes->step();
    return *this;
  }
  bool operator==(const FileIterator& other) const { return ended() == other.ended(); }
  bool ended() const { return bytes == nullptr || bytes->ended(); }
};

// As they stand in the file, before anything is known of what they refer to.
struct ImageItem {
  std::optional<int64_t> id;
  std::optional<std::string> file;
  double width = 0, height = 0;
};
struct BoxItem {
  std::optional<int64_t> image, category;
  std::array<float, 4> box{};
  int numbers = 0;  ///< in its box
  bool crowd = false;
};
struct CategoryItem {
  std::optional<int64_t> id;
  std::string name;
};

std::optional<int64_t> whole(double value) {
  if (!(std::abs(value) < 9e15) || value != std::floor(value)) return {};
  return static_cast<int64_t>(value);
}

// Takes the parser's events; the document is never held. Containers are counted: the lists are the
// values of keys of the first, their items the third, a box the fourth.
class Events final : public nlohmann::json_sax<SortedJson> {
 public:
  std::vector<ImageItem> images;
  std::vector<BoxItem> boxes;
  std::vector<CategoryItem> categories;
  std::string fault;
  bool has_images = false, has_boxes = false;

  bool null() override { return value(); }
  bool boolean(bool on) override { return number(on ? 1 : 0); }
  bool number_integer(number_integer_t value) override { return id(value); }
  bool number_unsigned(number_unsigned_t value) override {
    return value > INT64_MAX ? number(static_cast<double>(value)) : id(static_cast<int64_t>(value));
  }
  bool number_float(number_float_t value, const string_t&) override { return number(value); }
  bool binary(binary_t&) override { return value(); }

  bool string(string_t& text) override {
    if (at_item()) {
      if (list_ == List::images && field_ == Field::file)
        images.back().file = std::move(text);
      else if (list_ == List::categories && field_ == Field::name)
        categories.back().name = std::move(text);
    }
    return value();
  }
  bool key(string_t& name) override {
    if (depth_ == 1) list_ = list_of(name);
    if (depth_ == 3) field_ = field_of(name);
    return true;
  }
  bool start_object(size_t) override {
    if (depth_ == 1 && list_ != List::other) return no_list();
    if (depth_ == 2 && list_ != List::other) begin_item();
    ++depth_;
    return true;
  }
  bool end_object() override {
    --depth_;
    return true;
  }
  bool start_array(size_t) override {
    if (depth_ == 0) return say("is a list, not an object with images, annotations and categories");
    if (depth_ == 1) {
      has_images |= list_ == List::images;
      has_boxes |= list_ == List::boxes;
    }
    if (depth_ == 2 && list_ != List::other) return no_item();
    if (at_box())
      ++depth_, boxes.back().numbers = 0;
    else
      ++depth_;
    return true;
  }
  bool end_array() override {
    --depth_;
    return true;
  }
  bool parse_error(size_t position, const std::string&,
                   const nlohmann::detail::exception& problem) override {
    // "[json.exception.parse_error.101] parse error at line 1, column 2: syntax error …"
    std::string reason = problem.what();
    if (const size_t colon = reason.find(": "); colon != std::string::npos)
      reason = reason.substr(colon + 2);
    return say(fmt::format("is no JSON: byte {}: {}", position, printable(reason, 200)));
  }

  /// "annotations[12]", for the last that was begun.
  static std::string item(const char* list, size_t index) {
    return fmt::format("{}[{}]", list, index);
  }

 private:
  enum class List { other, images, boxes, categories };
  enum class Field { other, id, file, width, height, image, category, box, crowd, name };

  static List list_of(const std::string& name) {
    if (name == "images") return List::images;
    if (name == "annotations") return List::boxes;
    return name == "categories" ? List::categories : List::other;
  }
  static Field field_of(const std::string& name) {
    static constexpr std::pair<std::string_view, Field> names[] = {
        {"id", Field::id},         {"file_name", Field::file}, {"width", Field::width},
        {"height", Field::height}, {"image_id", Field::image}, {"category_id", Field::category},
        {"bbox", Field::box},      {"iscrowd", Field::crowd},  {"name", Field::name}};
    for (const auto& [known, field] : names)
      if (name == known) return field;
    return Field::other;
  }
  const char* list_name() const {
    return list_ == List::images ? "images" : list_ == List::boxes ? "annotations" : "categories";
  }
  size_t items() const {
    return list_ == List::images  ? images.size()
           : list_ == List::boxes ? boxes.size()
                                  : categories.size();
  }
  bool say(std::string what) {
    fault = std::move(what);
    return false;
  }
  bool no_list() { return say(fmt::format("is none of COCO's: its {} are no list", list_name())); }
  bool no_item() {
    return say(fmt::format("is none of COCO's: {} is no object", item(list_name(), items())));
  }
  bool at_item() const { return depth_ == 3 && list_ != List::other; }
  bool at_box() const { return at_item() && list_ == List::boxes && field_ == Field::box; }

  void begin_item() {
    field_ = Field::other;
    if (list_ == List::images) images.emplace_back();
    if (list_ == List::boxes) boxes.emplace_back();
    if (list_ == List::categories) categories.emplace_back();
  }
  // A scalar where a container belongs.
  bool value() {
    if (depth_ == 0) return say("is no JSON object");
    if (depth_ == 1 && list_ != List::other) return no_list();
    if (depth_ == 2 && list_ != List::other) return no_item();
    return true;
  }
  bool number(double value) {
    if (at_item()) {
      if (list_ == List::images && field_ == Field::width) images.back().width = value;
      if (list_ == List::images && field_ == Field::height) images.back().height = value;
      if (list_ == List::boxes && field_ == Field::crowd) boxes.back().crowd = value != 0;
      if (const auto exact = whole(value)) take_id(*exact);
    }
    if (depth_ == 4 && list_ == List::boxes && field_ == Field::box) {
      BoxItem& item = boxes.back();
      if (item.numbers < 4) item.box[static_cast<size_t>(item.numbers)] = static_cast<float>(value);
      ++item.numbers;
    }
    return this->value();
  }
  bool id(int64_t value) {
    const bool goes_on = number(static_cast<double>(value));
    if (goes_on && at_item()) take_id(value);  // exactly, beyond 2^53
    return goes_on;
  }
  void take_id(int64_t value) {
    if (list_ == List::images && field_ == Field::id) images.back().id = value;
    if (list_ == List::categories && field_ == Field::id) categories.back().id = value;
    if (list_ != List::boxes) return;
    if (field_ == Field::image) boxes.back().image = value;
    if (field_ == Field::category) boxes.back().category = value;
  }

  int64_t depth_ = 0;
  List list_ = List::other;
  Field field_ = Field::other;
};

// The name of a picture becomes part of a path: it must not lead out of the folder.
bool is_below(const std::string& file) {
  if (file.empty() || file.size() > 1000 || !text_fault(file).empty()) return false;
  const std::filesystem::path path(file);
  if (path.is_absolute() || path.filename().empty()) return false;
  return std::none_of(path.begin(), path.end(), [](const auto& part) { return part == ".."; });
}

// From items to what training needs.
class Builder {
 public:
  Builder(Events& events, const std::string& name) : events_(events), name_(name) {}

  Result<CocoIndex> build() {
    if (!events_.has_images || !events_.has_boxes)
      return bad(fmt::format("lists no {}", events_.has_images ? "annotations" : "images"));
    FLYBALL_CHECK(take_categories());
    take_images();
    if (index_.images.empty()) return bad("lists no images");
    count_boxes();
    place_boxes();
    return std::move(index_);
  }

 private:
  Error bad(const std::string& what) const {
    return {Code::corrupt, fmt::format("{} {}", name_, what),
            "a file of COCO's instances has images, annotations and categories: fetch it again"};
  }

  Status take_categories() {
    auto& items = events_.categories;
    if (items.empty()) return bad("lists no categories");
    for (size_t i = 0; i < items.size(); ++i)
      if (!items[i].id) return bad(fmt::format("has no id in {}", Events::item("categories", i)));
    std::stable_sort(items.begin(), items.end(),
                     [](const auto& a, const auto& b) { return *a.id < *b.id; });
    for (const CategoryItem& item : items) {
      if (!labels_.emplace(*item.id, static_cast<int32_t>(labels_.size())).second)
        return bad(fmt::format("lists category {} twice", *item.id));
      index_.categories.push_back(item.name);
    }
    return {};
  }

  void take_images() {
    const auto& items = events_.images;
    index_.images.resize(items.size());
    for (size_t i = 0; i < items.size(); ++i) {
      const std::string fault = take_image(items[i], index_.images[i], i);
      if (!fault.empty())
        index_.faults.emplace(static_cast<int64_t>(i),
                              fmt::format("{}: {} {}", name_, Events::item("images", i), fault));
    }
  }

  std::string take_image(const ImageItem& item, CocoImage& image, size_t index) {
    const auto side = [](double value) { return value >= 1 && value <= kLargestSide; };
    if (side(item.width)) image.width = static_cast<int32_t>(item.width);
    if (side(item.height)) image.height = static_cast<int32_t>(item.height);
    if (item.file && is_below(*item.file)) image.file = *item.file;
    if (!item.id) return "has no id";
    if (!images_.emplace(*item.id, index).second)
      return fmt::format("has the id {} of another one", *item.id);
    if (!item.file) return "has no file_name";
    if (image.file.empty()) return "has a file_name that is none of a file below its folder";
    if (image.width == 0 || image.height == 0) return "has no width and height";
    return "";
  }

  // Decides what becomes of each box: its image, or none.
  void count_boxes() {
    for (size_t i = 0; i < events_.boxes.size(); ++i) {
      BoxItem& item = events_.boxes[i];
      const auto found = item.image ? images_.find(*item.image) : images_.end();
      if (found == images_.end()) {
        stray(i);
        item.image.reset();
        continue;
      }
      item.image = static_cast<int64_t>(found->second);  // from here on its place
      CocoImage& image = index_.images[found->second];
      const std::string fault = check(item, image);
      if (!fault.empty())
        index_.faults.emplace(
            *item.image, fmt::format("{}: {} {}", name_, Events::item("annotations", i), fault));
      if (keep(item))
        ++image.count;
      else
        item.image.reset();
    }
  }

  void stray(size_t index) {
    ++index_.stray_count;
    const BoxItem& item = events_.boxes[index];
    if (index_.strays.size() < kListedStrays)
      index_.strays.push_back(
          fmt::format("{}: {} {}", name_, Events::item("annotations", index),
                      item.image ? fmt::format("is of image {}, which there is not", *item.image)
                                 : "has no image_id"));
  }

  // What is wrong with a box; clips it to its picture. Its category becomes the label.
  std::string check(BoxItem& item, const CocoImage& image) const {
    const auto label = item.category ? labels_.find(*item.category) : labels_.end();
    if (label == labels_.end())
      return item.category ? fmt::format("is of category {}, which there is not", *item.category)
                           : "has no category_id";
    item.category = label->second;
    auto& [left, top, width, height] = item.box;
    if (item.numbers != 4)
      return fmt::format("has a box of {} numbers, 4 are wanted", item.numbers);
    for (const float number : item.box)
      if (!std::isfinite(number)) return "has a box of numbers beyond all bounds";
    if (width < 0 || height < 0) return fmt::format("has a box of {:g} × {:g}", width, height);
    if (width == 0 || height == 0) return "";
    clip(left, width, static_cast<float>(image.width));
    clip(top, height, static_cast<float>(image.height));
    return width > 0 && height > 0 ? "" : "has a box outside of its picture";
  }
  static void clip(float& begin, float& length, float size) {
    const float end = std::min(begin + length, size);
    begin = std::max(begin, 0.0f);
    length = end - begin;
  }

  bool keep(const BoxItem& item) {
    if (item.crowd)
      ++index_.crowds;
    else if (item.numbers == 4 && (item.box[2] == 0 || item.box[3] == 0))
      ++index_.empty;
    else
      return true;
    return false;
  }

  void place_boxes() {
    int64_t first = 0;
    for (CocoImage& image : index_.images) {
      image.first = first;
      first += image.count;
      index_.most = std::max<int64_t>(index_.most, image.count);
      image.count = 0;
    }
    index_.boxes.resize(static_cast<size_t>(first));
    for (const BoxItem& item : events_.boxes) {
      if (!item.image) continue;
      CocoImage& image = index_.images[static_cast<size_t>(*item.image)];
      const auto& [left, top, width, height] = item.box;
      // That of a faulty image is never asked for.
      const auto label =
          static_cast<int32_t>(item.category && *item.category >= 0 &&
                                       *item.category < static_cast<int64_t>(labels_.size())
                                   ? *item.category
                                   : 0);
      index_.boxes[static_cast<size_t>(image.first + image.count++)] = {left, top, width, height,
                                                                        label};
    }
  }

  Events& events_;
  const std::string& name_;
  std::unordered_map<int64_t, int32_t> labels_;
  std::unordered_map<int64_t, size_t> images_;
  CocoIndex index_;
};

template <class Iterator>
Result<CocoIndex> read(Iterator begin, Iterator end, const std::string& name) {
  Events events;
  if (!SortedJson::sax_parse(begin, end, &events))
    return Error{Code::corrupt, fmt::format("{} {}", name, events.fault),
                 "it may be cut off: fetch it again"};
  return Builder(events, name).build();
}

}  // namespace

Result<CocoIndex> parse_coco(std::string_view text, const std::string& name) {
  return read(text.begin(), text.end(), name);
}

Result<CocoIndex> read_coco(const std::filesystem::path& path) {
  const auto close = [](std::FILE* file) { std::fclose(file); };
  FLYBALL_ASSIGN(OpenedFile opened, open_regular(path));
  const std::unique_ptr<std::FILE, decltype(close)> file(::fdopen(opened.descriptor.get(), "rb"),
                                                         close);
  if (!file) return file_error("read", path, errno);
  opened.descriptor.release();
  errno = 0;
  FileBytes bytes(file.get());
  auto index = read(FileIterator{&bytes}, FileIterator{}, path.string());
  if (std::ferror(file.get())) return file_error("read", path, errno != 0 ? errno : EIO);
  return index;
}

}  // namespace flyball
