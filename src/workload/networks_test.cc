// The networks against torchvision's, under weights that a formula gives: torchvision_outputs.py
// printed the recorded numbers (Debian 12's python3-torchvision 0.14.1).
#include "workload/networks.h"

#include <gtest/gtest.h>

#include "base/random.h"
#include "data/pictures/picture_collate.h"
#include "workload/classifier.h"
#include "workload/networks/formula_weights_testing.h"
#include "workload/stepper.h"

namespace flyball {
namespace {

struct Recorded {
  const char* name;
  std::shared_ptr<Network> (*make)(const NetworkShape&);
  int64_t parameters;
  double gain;
  std::array<int64_t, 2> best;
  std::array<std::array<float, 6>, 2> logits;
};

void PrintTo(const Recorded& recorded, std::ostream* out) {
  *out << recorded.name;
}

class Torchvision : public testing::TestWithParam<Recorded> {};

TEST_P(Torchvision, ParametersAndOutputsAgree) {
  const Recorded& recorded = GetParam();
  const auto network = std::dynamic_pointer_cast<Classifier>(recorded.make({{3, 224, 224}, 1000}));
  ASSERT_TRUE(network);
  const torch::NoGradGuard no_grad;
  network->eval();
  set_formula_weights(*network, recorded.gain);
  int64_t parameters = 0;
  for (const torch::Tensor& parameter : network->parameters()) parameters += parameter.numel();
  EXPECT_EQ(parameters, recorded.parameters);
  torch::Tensor samples = torch::empty({2, 3, 224, 224});
  fill_by_formula(samples, 0, [](double u) { return u; });
  const torch::Tensor logits = network->forward(samples);
  for (int64_t n = 0; n < 2; ++n) {
    EXPECT_EQ(logits[n].argmax().item<int64_t>(), recorded.best[static_cast<size_t>(n)]);
    for (int64_t i = 0; i < 6; ++i)
      EXPECT_NEAR(logits[n][i].item<float>(),
                  recorded.logits[static_cast<size_t>(n)][static_cast<size_t>(i)], 1e-4);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Networks, Torchvision,
    testing::Values(
        Recorded{"resnet18",
                 make_resnet18,
                 11689512,
                 3.0,
                 {455, 978},
                 {{{-1.051512f, -2.081935f, 0.597214f, -0.254490f, 1.150844f, -0.326943f},
                   {-1.069095f, -2.028091f, 0.669675f, -0.225479f, 1.143724f, -0.345243f}}}},
        Recorded{"resnet50",
                 make_resnet50,
                 25557032,
                 3.0,
                 {670, 670},
                 {{{-0.200106f, 2.219641f, -0.304700f, 3.048302f, 1.066372f, 0.836225f},
                   {-0.175912f, 2.160810f, -0.338185f, 3.090032f, 1.038820f, 0.856707f}}}},
        Recorded{"mobilenet_v3",
                 make_mobilenet_v3,
                 5483032,
                 5.0,
                 {189, 189},
                 {{{-0.053034f, -0.077610f, -0.038653f, -0.097753f, 0.216873f, -0.158508f},
                   {-0.059089f, -0.070501f, -0.033453f, -0.081933f, 0.198672f, -0.152441f}}}},
        Recorded{"vgg11",
                 make_vgg11,
                 132863336,
                 6.0,
                 {761, 977},
                 {{{-0.843752f, -0.688053f, 0.370944f, 1.961687f, 1.803980f, 1.412822f},
                   {-1.538845f, -0.318553f, 0.312097f, 1.505980f, 2.014362f, 1.229907f}}}}));

// A few classes told apart by brightness.
TEST(Networks, LossFallsOnATinySet) {
  for (const char* name : {"resnet18", "resnet50", "mobilenet_v3"}) {
    StepOptions options;
    options.threads = 1;
    options.shape = {3, 32, 32};
    options.classes = 4;
    auto made = make_stepper(name, options);
    ASSERT_TRUE(made.ok()) << made.error().message;
    const auto stepper = *std::move(made);
    Random random(1);
    std::vector<float> samples;
    std::vector<int64_t> labels;
    for (int64_t n = 0; n < 8; ++n) {
      labels.push_back(n % 4);
      for (int i = 0; i < 3 * 32 * 32; ++i)
        samples.push_back(
            static_cast<float>(random.normal() * 0.3 + 0.5 * static_cast<double>(n % 4)));
    }
    const PictureBatch batch(samples, labels, options.shape);
    std::vector<double> losses;
    for (int i = 0; i < 16; ++i) {
      const auto loss = stepper->step(batch.view());
      ASSERT_TRUE(loss.ok()) << name << ": " << loss.error().message;
      losses.push_back(loss->loss);
    }
    EXPECT_LT(losses.back(), 0.5 * losses.front()) << name;
  }
}

}  // namespace
}  // namespace flyball
