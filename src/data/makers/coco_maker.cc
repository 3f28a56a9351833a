#include "data/makers/coco_maker.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/files.h"
#include "base/random.h"
#include "data/makers/synthetic.h"
#include "data/makers/write_pictures.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

struct Shape {
  const char* name;
  bool (*holds)(double u, double v);  ///< within −1 to 1, v downwards
};

constexpr std::array<Shape, 8> shapes = {{
    {"circle", [](double u, double v) { return u * u + v * v <= 1; }},
    {"square", [](double, double) { return true; }},
    {"triangle", [](double u, double v) { return std::abs(u) <= (v + 1) / 2; }},
    {"cross", [](double u, double v) { return std::abs(u) <= 0.35 || std::abs(v) <= 0.35; }},
    {"ring",
     [](double u, double v) {
       const double r = u * u + v * v;
       return r <= 1 && r >= 0.4;
     }},
    {"diamond", [](double u, double v) { return std::abs(u) + std::abs(v) <= 1; }},
    {"hourglass", [](double u, double v) { return std::abs(u) <= std::abs(v); }},
    {"ladder", [](double, double v) { return static_cast<int>((v + 1) * 2.5) % 2 == 0; }},
}};

struct Colour {
  const char* name;
  std::array<uint8_t, 3> rgb;
};
constexpr std::array<Colour, 10> colours = {{{"red", {210, 30, 30}},
                                             {"green", {30, 170, 40}},
                                             {"blue", {30, 60, 220}},
                                             {"yellow", {235, 215, 30}},
                                             {"magenta", {205, 40, 200}},
                                             {"cyan", {30, 200, 210}},
                                             {"orange", {240, 130, 20}},
                                             {"white", {245, 245, 245}},
                                             {"black", {15, 15, 15}},
                                             {"brown", {115, 70, 30}}}};

const Shape& shape_of(int64_t label) {
  return shapes[static_cast<size_t>(label) % shapes.size()];
}
// Neighbouring labels differ in colour as well, and no two of 80 are equal.
const Colour& colour_of(int64_t label) {
  return colours[static_cast<size_t>(label / 8 + label) % colours.size()];
}

// Paints what lies within an outline of pixels; its box, of what was painted.
CocoBox paint(DrawnPicture& picture, const CocoBox& outline, int64_t label) {
  const int x0 = static_cast<int>(outline.left), y0 = static_cast<int>(outline.top);
  const int width = static_cast<int>(outline.width), height = static_cast<int>(outline.height);
  int left = width, right = -1, top = height, bottom = -1;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      const double u = (x + 0.5) * 2 / width - 1, v = (y + 0.5) * 2 / height - 1;
      if (!shape_of(label).holds(u, v)) continue;
      const auto at = (static_cast<size_t>(y0 + y) * static_cast<size_t>(picture.size.width) +
                       static_cast<size_t>(x0 + x)) *
                      3;
      std::ranges::copy(colour_of(label).rgb, picture.rgb.begin() + static_cast<ptrdiff_t>(at));
      left = std::min(left, x), right = std::max(right, x);
      top = std::min(top, y), bottom = std::max(bottom, y);
    }
  return {static_cast<float>(x0 + left), static_cast<float>(y0 + top),
          static_cast<float>(right - left + 1), static_cast<float>(bottom - top + 1),
          static_cast<int32_t>(label)};
}

bool apart(const CocoBox& a, const CocoBox& b) {
  return a.left + a.width <= b.left || b.left + b.width <= a.left || a.top + a.height <= b.top ||
         b.top + b.height <= a.top;
}

CocoBox random_outline(PictureSize size, double least, double most, Random& random) {
  const int shorter = std::min(size.width, size.height);
  const auto side = [&] {
    return std::max(4, static_cast<int>(random.uniform(least, most) * shorter));
  };
  const int width = side();
  const int height = std::clamp(static_cast<int>(width * random.uniform(0.8, 1.25)), 4, shorter);
  const auto place = [&](int room) {
    return static_cast<float>(random.below(static_cast<size_t>(room) + 1));
  };
  return {place(size.width - width), place(size.height - height), static_cast<float>(width),
          static_cast<float>(height), 0};
}

void add_shapes(DrawnPicture& picture, int64_t classes, Random& random) {
  const size_t count = random.below(20) == 0 ? 0 : 1 + random.below(5);
  for (int attempt = 0; picture.boxes.size() < count && attempt < 50; ++attempt) {
    const CocoBox outline = random_outline(picture.size, 0.15, 0.5, random);
    const auto label = static_cast<int64_t>(random.below(static_cast<size_t>(classes)));
    if (std::all_of(picture.boxes.begin(), picture.boxes.end(),
                    [&](const CocoBox& other) { return apart(outline, other); }))
      picture.boxes.push_back(paint(picture, outline, label));
  }
}

// A group of one class in a corner of its own; where there is no room, none.
void add_crowd(DrawnPicture& picture, int64_t classes, Random& random) {
  if (random.below(20) != 0) return;
  const CocoBox outline = random_outline(picture.size, 0.3, 0.4, random);
  if (!std::all_of(picture.boxes.begin(), picture.boxes.end(),
                   [&](const CocoBox& other) { return apart(outline, other); }))
    return;
  const auto label = static_cast<int64_t>(random.below(static_cast<size_t>(classes)));
  const float side = std::max(4.0f, outline.width / 8);
  for (float y = 0; y + side <= outline.height; y += side * 1.5f)
    for (float x = 0; x + side <= outline.width; x += side * 1.5f)
      paint(picture, {outline.left + x, outline.top + y, side, side, 0}, label);
  picture.crowd.push_back(outline);
  picture.crowd.back().label = static_cast<int32_t>(label);
}

// In COCO's own order of keys; a box is written as short as a float may be.
using CocoJson = nlohmann::basic_json<nlohmann::ordered_map, std::vector, std::string, bool,
                                      int64_t, uint64_t, float>;

CocoJson outline_json(const CocoBox& box) {
  const float right = box.left + box.width, bottom = box.top + box.height;
  return CocoJson::array(
      {CocoJson::array({box.left, box.top, right, box.top, right, bottom, box.left, bottom})});
}

// Runs down the columns: all of the picture outside, simply.
CocoJson crowd_json(const PictureSize& size) {
  return {{"counts", CocoJson::array({size.width * size.height})},
          {"size", CocoJson::array({size.height, size.width})}};
}

CocoJson categories_json(int64_t classes) {
  CocoJson categories = CocoJson::array();
  for (int64_t c = 0; c < classes; ++c)
    categories.push_back(
        {{"supercategory", shape_of(c).name}, {"id", category_id(c)}, {"name", shape_name(c)}});
  return categories;
}

// One picture and one box at a time becomes text: a large set is never there as a tree as well.
class Annotations {
 public:
  void add(int64_t id, const std::string& file, const DrawnPicture& picture) {
    append(images_, {{"license", 1},
                     {"file_name", file},
                     {"height", picture.size.height},
                     {"width", picture.size.width},
                     {"date_captured", "2026-01-01 00:00:00"},
                     {"id", id}});
    for (const CocoBox& box : picture.boxes) add_box(id, box, false, outline_json(box));
    for (const CocoBox& box : picture.crowd) add_box(id, box, true, crowd_json(picture.size));
  }

  Status write(const fs::path& path, int64_t classes) const {
    const CocoJson info = {{"description", "drawn by Flyball"},
                           {"version", std::to_string(kShapesVersion)},
                           {"year", 2026}};
    const CocoJson licenses = CocoJson::array({CocoJson{{"url", ""}, {"id", 1}, {"name", "none"}}});
    return write_file(path, fmt::format(R"({{"info":{},"licenses":{},"images":[{}],)"
                                        R"("annotations":[{}],"categories":{}}})"
                                        "\n",
                                        info.dump(), licenses.dump(), images_, boxes_,
                                        categories_json(classes).dump()));
  }

 private:
  static void append(std::string& list, const CocoJson& entry) {
    if (!list.empty()) list += ',';
    list += entry.dump();
  }
  void add_box(int64_t image, const CocoBox& box, bool crowd, CocoJson segmentation) {
    append(boxes_, {{"segmentation", std::move(segmentation)},
                    {"area", box.width * box.height},
                    {"iscrowd", crowd ? 1 : 0},
                    {"image_id", image},
                    {"bbox", {box.left, box.top, box.width, box.height}},
                    {"category_id", category_id(box.label)},
                    {"id", ++count_}});
  }

  std::string images_, boxes_;
  int64_t count_ = 0;
};

Status make_part(const std::string& name, int64_t first, int64_t samples, const fs::path& out,
                 const MakeOptions& options) {
  FLYBALL_CHECK(make_folder(out / name));
  std::vector<DrawnPicture> pictures(static_cast<size_t>(samples));
  const auto file = [](int64_t id) { return fmt::format("{:012}.jpg", id); };
  FLYBALL_CHECK(for_each_sample(samples, options.threads, [&](int64_t i) {
    DrawnPicture& picture = pictures[static_cast<size_t>(i)];
    picture = draw_shapes(options.seed, first + i, options.classes, options.size);
    const Status written = write_picture(out / name / file(i + 1), picture.rgb, picture.size);
    picture.rgb = {};
    return written;
  }));
  Annotations annotations;
  for (int64_t i = 0; i < samples; ++i)
    annotations.add(i + 1, file(i + 1), pictures[static_cast<size_t>(i)]);
  return annotations.write(out / "annotations" / fmt::format("instances_{}.json", name),
                           options.classes);
}

}  // namespace

std::string shape_name(int64_t label) {
  const std::string name = fmt::format("{} {}", colour_of(label).name, shape_of(label).name);
  const int64_t round = label / kCocoCategories;
  return round == 0 ? name : fmt::format("{} {}", name, round + 1);
}

int64_t category_id(int64_t label) {
  return 1 + label + label / 10;
}

DrawnPicture draw_shapes(uint64_t seed, int64_t index, int64_t classes, PictureSize size) {
  Random random(mix_seed(mix_seed(seed, 5), static_cast<uint64_t>(index)));
  DrawnPicture picture;
  picture.size = size;
  if (random.below(4) == 0) std::swap(picture.size.width, picture.size.height);
  picture.rgb = draw_picture(seed, index, index % 7, picture.size);
  for (uint8_t& value : picture.rgb) value = static_cast<uint8_t>(70 + value * 2 / 5);
  add_shapes(picture, classes, random);
  add_crowd(picture, classes, random);
  return picture;
}

Status make_coco(int64_t samples, const fs::path& out, const MakeOptions& options) {
  FLYBALL_CHECK(make_part("train2017", 0, samples, out, options));
  return make_part("val2017", kTestOffset, std::max<int64_t>(1, samples / 5), out, options);
}

}  // namespace flyball
