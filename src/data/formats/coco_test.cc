#include "data/formats/coco.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "data/data_testing.h"
#include "data/formats/open.h"
#include "data/makers/check.h"
#include "data/makers/coco_maker.h"
#include "data/makers/write_pictures.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

constexpr const char* kCategories =
    R"("categories": [{"id": 18, "name": "dog"}, {"id": 1, "name": "person"}])";

// A document of so many images (ids 7, 8, …; 64 × 48) and these annotations.
std::string document(const std::string& annotations, int images = 1,
                     const std::string& categories = kCategories) {
  std::string list;
  for (int i = 0; i < images; ++i)
    list += (i == 0 ? "" : ",") +
            ("{\"file_name\": \"" + std::to_string(i) +
             ".jpg\", \"width\": 64, \"height\": 48, \"id\": " + std::to_string(7 + i) + "}");
  return "{\"images\": [" + list + "], \"annotations\": [" + annotations + "], " + categories + "}";
}

std::string complaint(const std::string& text) {
  const auto index = parse_coco(text, "a.json");
  return index.ok() ? "accepted" : index.error().message;
}

// What is wrong with the first image.
std::string fault(const std::string& text) {
  const auto index = parse_coco(text, "a.json");
  if (!index.ok()) return index.error().message;
  return index->faults.contains(0) ? index->faults.at(0) : "fine";
}

TEST(CocoIndex, KeepsBoxesByImageAndCategoriesInTheOrderOfTheirIds) {
  const auto index =
      parse_coco(document(R"({"image_id": 8, "bbox": [1, 2, 3, 4], "category_id": 18},
                  {"image_id": 7, "bbox": [5.5, 6, 7, 8.25], "category_id": 1, "iscrowd": 0,
                   "segmentation": [[1, 2, 3, 4, 5, 6]], "area": 12.5, "id": 3},
                  {"image_id": 8, "bbox": [60, 40, 20, 20], "category_id": 1})",
                          3),
                 "a.json");
  ASSERT_TRUE(index.ok()) << index.error().message;
  EXPECT_THAT(index->categories, ElementsAre("person", "dog"));
  EXPECT_THAT(index->faults, IsEmpty());
  ASSERT_EQ(index->images.size(), 3u);
  EXPECT_EQ(index->images[0].file, "0.jpg");
  EXPECT_EQ(index->images[0].count, 1);
  EXPECT_EQ(index->images[1].first, 1);
  EXPECT_EQ(index->images[1].count, 2);
  EXPECT_EQ(index->images[2].count, 0);  // kept without a box
  EXPECT_EQ(index->most, 2);
  EXPECT_EQ(index->boxes[0].left, 5.5f);
  EXPECT_EQ(index->boxes[0].height, 8.25f);
  EXPECT_EQ(index->boxes[0].label, 0);
  EXPECT_EQ(index->boxes[1].label, 1);
  EXPECT_EQ(index->boxes[2].width, 4);  // cut at the edges of the picture
  EXPECT_EQ(index->boxes[2].height, 8);
}

TEST(CocoIndex, CrowdsAndBoxesWithoutAnAreaAreLeftOutAndCounted) {
  const auto index = parse_coco(
      document(R"({"image_id": 7, "bbox": [0, 0, 60, 40], "category_id": 1, "iscrowd": 1},
                  {"image_id": 7, "bbox": [1, 2, 3, 0], "category_id": 1},
                  {"image_id": 7, "bbox": [1, 2, 3, 4], "category_id": 1})"),
      "a.json");
  ASSERT_TRUE(index.ok());
  EXPECT_EQ(index->crowds, 1);
  EXPECT_EQ(index->empty, 1);
  EXPECT_EQ(index->boxes.size(), 1u);
  EXPECT_THAT(index->faults, IsEmpty());
}

TEST(CocoIndex, AFaultBelongsToItsImageAndIsNamed) {
  const auto box = [](const std::string& fields) {
    return fault(document("{\"image_id\": 7, " + fields + "}"));
  };
  EXPECT_EQ(box(R"("bbox": [1, 2, 3], "category_id": 1)"),
            "a.json: annotations[0] has a box of 3 numbers, 4 are wanted");
  EXPECT_EQ(box(R"("category_id": 1)"),
            "a.json: annotations[0] has a box of 0 numbers, 4 are wanted");
  EXPECT_EQ(box(R"("bbox": [1, 2, -3, 4], "category_id": 1)"),
            "a.json: annotations[0] has a box of -3 × 4");
  EXPECT_EQ(box(R"("bbox": [1, 2, 3, 1e300], "category_id": 1)"),
            "a.json: annotations[0] has a box of numbers beyond all bounds");
  EXPECT_EQ(box(R"("bbox": [64, 2, 3, 4], "category_id": 1)"),
            "a.json: annotations[0] has a box outside of its picture");
  EXPECT_EQ(box(R"("bbox": [1, 2, 3, 4], "category_id": 5)"),
            "a.json: annotations[0] is of category 5, which there is not");
  EXPECT_EQ(box(R"("bbox": [1, 2, 3, 4])"), "a.json: annotations[0] has no category_id");
  const auto image = [](const std::string& fields) {
    return fault("{\"images\": [{" + fields + "}], \"annotations\": [], " + kCategories + "}");
  };
  EXPECT_EQ(image(R"("id": 1, "width": 3, "height": 4)"), "a.json: images[0] has no file_name");
  EXPECT_EQ(image(R"("file_name": "a.jpg", "width": 3, "height": 4)"),
            "a.json: images[0] has no id");
  EXPECT_EQ(image(R"("id": 1, "file_name": "a.jpg", "width": 3)"),
            "a.json: images[0] has no width and height");
  for (const char* name : {"../a.jpg", "/etc/passwd", "a/../../b.jpg", "", "a/", "a\\u0007.jpg"})
    EXPECT_EQ(
        image(R"("id": 1, "width": 3, "height": 4, "file_name": ")" + std::string(name) + "\""),
        "a.json: images[0] has a file_name that is none of a file below its folder");
  EXPECT_EQ(image(R"("id": 1, "width": 3, "height": 4, "file_name": "sub/a.jpg")"), "fine");
}

TEST(CocoIndex, TheSecondImageOfAnIdIsFaulty) {
  const auto index = parse_coco(
      R"({"images": [{"id": 1, "file_name": "a.jpg", "width": 3, "height": 4},
                     {"id": 1, "file_name": "b.jpg", "width": 3, "height": 4}],
          "annotations": [], )" +
          std::string(kCategories) + "}",
      "a.json");
  ASSERT_TRUE(index.ok());
  ASSERT_EQ(index->faults.size(), 1u);
  EXPECT_EQ(index->faults.at(1), "a.json: images[1] has the id 1 of another one");
}

TEST(CocoIndex, BoxesOfNoImageAreStrays) {
  const auto index = parse_coco(
      document(
          R"({"image_id": 99, "bbox": [1, 2, 3, 4], "category_id": 1}, {"bbox": [1, 2, 3, 4]})"),
      "a.json");
  ASSERT_TRUE(index.ok());
  EXPECT_EQ(index->stray_count, 2);
  EXPECT_THAT(index->strays,
              ElementsAre("a.json: annotations[0] is of image 99, which there is not",
                          "a.json: annotations[1] has no image_id"));
  EXPECT_THAT(index->boxes, IsEmpty());
}

TEST(CocoIndex, WhatIsNoneOfCocosIsSaid) {
  EXPECT_EQ(complaint("[]"),
            "a.json is a list, not an object with images, annotations and categories");
  EXPECT_EQ(complaint("3"), "a.json is no JSON object");
  EXPECT_EQ(complaint("{}"), "a.json lists no images");
  EXPECT_EQ(complaint(R"({"images": 3})"), "a.json is none of COCO's: its images are no list");
  EXPECT_EQ(complaint(R"({"annotations": {}})"),
            "a.json is none of COCO's: its annotations are no list");
  EXPECT_EQ(complaint(R"({"images": [3]})"), "a.json is none of COCO's: images[0] is no object");
  EXPECT_EQ(complaint(R"({"images": [{}, []]})"),
            "a.json is none of COCO's: images[1] is no object");
  EXPECT_EQ(complaint(R"({"images": []})"), "a.json lists no annotations");
  EXPECT_EQ(complaint(R"({"images": [], "annotations": []})"), "a.json lists no categories");
  EXPECT_EQ(complaint(document("", 0)), "a.json lists no images");
  EXPECT_EQ(complaint(document("", 1, R"("categories": [{"name": "dog"}])")),
            "a.json has no id in categories[0]");
  EXPECT_EQ(complaint(document("", 1, R"("categories": [{"id": 3}, {"id": 3}])")),
            "a.json lists category 3 twice");
  const std::string cut = document("").substr(0, 40);
  EXPECT_THAT(complaint(cut),
              AllOf(HasSubstr("a.json is no JSON: byte 41"), HasSubstr("syntax error")));
  EXPECT_THAT(complaint("{\"images\": [{\"id\": \x01"), HasSubstr("is no JSON"));
}

// Deeper than a stack would bear.
TEST(CocoIndex, NestingDoesNoHarm) {
  const std::string deep(1'000'000, '[');
  EXPECT_THAT(complaint("{\"info\": " + deep), HasSubstr("is no JSON"));
}

TEST(CocoIndex, AFileIsReadAsItsText) {
  const TemporaryFolder folder;
  std::string boxes;
  for (int i = 0; i < 20'000; ++i)  // several pieces long
    boxes += std::string(i == 0 ? "" : ", ") + R"({"image_id": 8, "bbox": [)" +
             std::to_string(i % 60) +
             R"(, 2, 3, 4], "category_id": 18, "segmentation": [[1.5, 2.5, 3.5]]})";
  const std::string text = document(boxes, 2);
  const fs::path path = folder / "instances_train2017.json";
  ASSERT_TRUE(write_file(path, text).ok());
  const auto index = read_coco(path);
  ASSERT_TRUE(index.ok()) << index.error().message;
  EXPECT_EQ(index->images[1].count, 20'000);
  EXPECT_EQ(index->boxes[19'999].left, 19'999 % 60);
  fs::resize_file(path, text.size() - 1);
  EXPECT_THAT(read_coco(path).error().message, HasSubstr("instances_train2017.json is no JSON"));
  EXPECT_THAT(read_coco(folder / "none.json").error().message, HasSubstr("none.json"));
  EXPECT_FALSE(read_coco(folder.path()).ok());  // a folder
}

// A drawn set in one of the layouts that people keep.
class CocoFolder : public ::testing::Test {
 protected:
  void SetUp() override {
    ASSERT_TRUE(make_dataset("coco", 12, folder_.path(), {.classes = 4, .size = {64, 48}}).ok());
  }
  const fs::path& root() const { return folder_.path(); }
  const TemporaryFolder folder_;
};

TEST_F(CocoFolder, ASampleIsAPictureWithItsBoxes) {
  const auto set = open_dataset(root(), Split::train);
  ASSERT_TRUE(set.ok()) << set.error().message;
  EXPECT_EQ((*set)->kind(), "coco");
  EXPECT_EQ((*set)->size(), 12);
  EXPECT_EQ((*set)->classes(), 4);
  EXPECT_EQ((*set)->files().size(), 13u);
  EXPECT_THAT((*set)->name(0), HasSubstr("train2017/000000000001.jpg"));
  RawSample sample;
  for (int64_t i = 0; i < 12; ++i) {
    ASSERT_TRUE((*set)->fetch(i, sample).ok());
    const DrawnPicture drawn = draw_shapes(1, i, 4, {64, 48});
    const auto boxes = sample.parts.get<float>(CocoSet::boxes);
    const auto labels = sample.parts.get<int64_t>(CocoSet::box_class);
    ASSERT_EQ(labels.size(), drawn.boxes.size());
    EXPECT_EQ(sample.parts.get<int64_t>(CocoSet::picture_size)[0], drawn.size.width);
    for (size_t b = 0; b < labels.size(); ++b) {
      EXPECT_EQ(labels[b], drawn.boxes[b].label);
      EXPECT_EQ(boxes[4 * b], drawn.boxes[b].left);
      EXPECT_EQ(boxes[4 * b + 3], drawn.boxes[b].height);
    }
  }
}

TEST_F(CocoFolder, OtherLayoutsAreFoundToo) {
  fs::create_directories(root() / "images");
  fs::rename(root() / "train2017", root() / "images" / "train2017");
  const auto nested = open_dataset(root(), Split::train);
  ASSERT_TRUE(nested.ok());
  EXPECT_THAT((*nested)->name(0), HasSubstr("images/train2017/000000000001.jpg"));
  RawSample sample;
  EXPECT_TRUE((*nested)->fetch(0, sample).ok());
  fs::rename(root() / "annotations/instances_train2017.json", root() / "instances_mine.json");
  fs::remove_all(root() / "annotations");
  const auto flat = open_dataset(root(), Split::train);
  ASSERT_TRUE(flat.ok()) << flat.error().message;
  EXPECT_FALSE(has_part(root(), "coco", Split::test));
  EXPECT_THAT(open_dataset(root(), Split::test).error().message,
              HasSubstr("no annotations for the test part"));
}

TEST_F(CocoFolder, CheckSaysWhatIsBrokenAndWhere) {
  fs::remove(root() / "train2017/000000000002.jpg");
  const fs::path half = root() / "train2017/000000000003.jpg";
  fs::resize_file(half, fs::file_size(half) * 2 / 3);
  ASSERT_TRUE(
      write_picture(root() / "train2017/000000000004.jpg", std::vector<uint8_t>(3 * 8 * 8), {8, 8})
          .ok());
  const fs::path path = root() / "annotations/instances_val2017.json";
  std::string text = *read_file(path);
  text.replace(text.find("\"image_id\":"), 12, "\"image_id\":7");
  text.replace(text.find(shape_name(3)), 3, "RED");
  ASSERT_TRUE(write_file(path, text).ok());
  const auto report = check_dataset(root(), 2);
  ASSERT_TRUE(report.ok());
  EXPECT_EQ(report->parts[0].samples, 12);
  ASSERT_EQ(report->problem_count, 5);
  EXPECT_THAT(report->problems[0].message, HasSubstr("000000000002.jpg: No such file"));
  EXPECT_THAT(report->problems[1].message, HasSubstr("000000000003.jpg: the JPEG is truncated"));
  EXPECT_THAT(report->problems[2].message,
              HasSubstr("000000000004.jpg: the JPEG has 8 × 8 pixels, its annotations say"));
  EXPECT_THAT(report->problems[3].message, HasSubstr("annotations[0] is of image 7"));
  EXPECT_THAT(report->problems[4].message, HasSubstr("the categories of the test part"));
  ASSERT_EQ(report->notes.size(), 2u);
  EXPECT_THAT(report->notes[0], HasSubstr("boxes of crowds"));
}

TEST(DrawnShapes, BoxesHoldTheirShapesExactly) {
  bool bare = false, crowd = false;
  for (int64_t i = 0; i < 200; ++i) {
    const DrawnPicture picture = draw_shapes(3, i, 80, {100, 80});
    bare |= picture.boxes.empty();
    crowd |= !picture.crowd.empty();
    for (const CocoBox& box : picture.boxes) {
      EXPECT_GE(box.left, 0);
      EXPECT_LE(box.left + box.width, static_cast<float>(picture.size.width));
      EXPECT_LE(box.top + box.height, static_cast<float>(picture.size.height));
      EXPECT_GE(std::min(box.width, box.height), 4);
    }
  }
  EXPECT_TRUE(bare);
  EXPECT_TRUE(crowd);
  EXPECT_EQ(shape_name(0), "red circle");
  EXPECT_EQ(shape_name(80), "red circle 2");
  std::set<std::string> names;
  for (int64_t label = 0; label < 80; ++label) names.insert(shape_name(label));
  EXPECT_EQ(names.size(), 80u);
  EXPECT_EQ(category_id(79), 87);
}

// Whoever changes what is drawn raises the version and puts the new figures here.
TEST(DrawnShapes, AChangedDrawingNeedsAnotherVersion) {
  const DrawnPicture picture = draw_shapes(1, 1, 80, {64, 48});
  ASSERT_EQ(kShapesVersion, 1);
  ASSERT_FALSE(picture.boxes.empty());
  double sum = 0;
  for (const uint8_t value : picture.rgb) sum += value;
  const CocoBox& first = picture.boxes[0];
  EXPECT_THAT((std::vector<double>{first.left, first.top, first.width, first.height,
                                   static_cast<double>(first.label)}),
              ElementsAre(23, 20, 13, 12, 3));
  EXPECT_NEAR(sum / static_cast<double>(picture.rgb.size()), 129.38, 0.3);
}

}  // namespace
}  // namespace flyball
