#include "data/makers/drawn_inputs.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "data/loader/loader.h"

namespace flyball {
namespace {

using ::testing::HasSubstr;

TEST(DrawnInputs, AreReadAsTheyAreTyped) {
  const auto picture = parse_drawn_tensor("3x224x224", "input");
  ASSERT_TRUE(picture.ok());
  EXPECT_EQ(picture->spec.name, "input");
  EXPECT_EQ(picture->spec.dtype, DType::float32);
  EXPECT_EQ(picture->spec.shape, (TensorShape{3, 224, 224}));
  const auto printed = parse_drawn_tensor(picture->spec.shape.text(), "input");
  ASSERT_TRUE(printed.ok());
  EXPECT_EQ(printed->spec.shape, picture->spec.shape);
  const auto ids = parse_drawn_tensor("ids:int64..30521:128", "input");
  ASSERT_TRUE(ids.ok());
  EXPECT_EQ(ids->spec.name, "ids");
  EXPECT_EQ(ids->spec.dtype, DType::int64);
  EXPECT_EQ(ids->spec.shape, (TensorShape{128}));
  EXPECT_EQ(ids->most, 30521);
  EXPECT_EQ(parse_drawn_tensor("ids:int64:128", "input")->most, 1);
  EXPECT_EQ(parse_drawn_tensor("int32:7", "input")->spec.dtype, DType::int32);
  EXPECT_EQ(parse_drawn_tensor("mask:7", "input")->spec.name, "mask");
  EXPECT_TRUE(parse_drawn_tensor("label:int64..9:scalar", "")->spec.shape.empty());
}

TEST(DrawnInputs, BadOnesAreNamedInALine) {
  for (const char* text : {"", "x", "3x0", "3x-1", "3x", "a:b:3", "ids:int65:128", "ids:int64:1:2",
                           "ids:int64..x:3", "ids:int64..-1:3", "f:float32..3:2", "::3",
                           "u:uint8..256:3", "1x1x1x1x1x1", "99999999999", "40000x40000"}) {
    const auto tensor = parse_drawn_tensor(text, "input");
    ASSERT_FALSE(tensor.ok()) << text;
    EXPECT_THAT(tensor.error().message, HasSubstr(std::string("'") + text + "'"));
    EXPECT_THAT(tensor.error().hint, HasSubstr("[NAME:][DTYPE:]SHAPE"));
  }
  const DrawnTensor twice = *parse_drawn_tensor("a:3", "");
  EXPECT_THAT(make_drawn_inputs({twice, twice}, 8, 1).error().message, HasSubstr("'a'"));
}

TEST(DrawnInputs, HoldWhatTheirTypesAllow) {
  const auto drawn = *make_drawn_inputs(
      {*parse_drawn_tensor("wide:2x50", ""), *parse_drawn_tensor("ids:int64..4:50", ""),
       *parse_drawn_tensor("label:int64..6:scalar", "")},
      64, 3);
  EXPECT_EQ(drawn.dataset->classes(), 7);
  for (const int workers : {0, 2}) {
    const auto loader =
        *Loader::create(drawn.dataset, drawn.collate, {.batch_size = 64, .workers = workers});
    loader->start_epoch(0);
    const BatchView view = (*loader->next())->view;
    EXPECT_EQ(view.find("wide")->shape, (TensorShape{64, 2, 50}));
    double sum = 0, squares = 0;
    for (const float x : view.values<float>("wide")) sum += x, squares += x * x;
    EXPECT_NEAR(sum / 6400, 0, 0.1);
    EXPECT_NEAR(squares / 6400, 1, 0.1);
    const auto ids = view.values<int64_t>("ids");
    EXPECT_EQ(*std::ranges::min_element(ids), 0);
    EXPECT_EQ(*std::ranges::max_element(ids), 4);
    EXPECT_FALSE(std::ranges::equal(ids.first(50), ids.subspan(50, 50)));
    for (const int64_t label : view.values<int64_t>("label")) EXPECT_LE(label, 6);
  }
}

}  // namespace
}  // namespace flyball
