// Weights that a training left, in front of requests.
#include <gmock/gmock.h>

#include "base/os/temp_folder.h"
#include "data/makers/digits.h"
#include "module/module_testing.h"
#include "profile/trials/minibatch_run.h"
#include "schedule/live/network_jobs.h"

namespace flyball {
namespace {

using ::testing::HasSubstr;

class ServedWeights : public ::testing::Test {
 protected:
  void SetUp() override {
    FLYBALL_NEEDS_TORCH();
    ASSERT_TRUE(make_digits(folder_.path(), {.train = 100, .test = 20}).ok());
    auto data = open_run_data("lenet5", folder_.path(), {}, {}, true);
    ASSERT_TRUE(data.ok()) << data.error().message;
    data_ = *std::move(data);
  }

  /// A few steps with AdamW, kept in the file.
  LoadedRun trained(int64_t classes = 0) {
    StepOptions step;
    step.optimizer = Optimizer::adamw;
    step.threads = 1;
    step.seed = 3;
    step.classes = classes;
    auto started = start_run("lenet5", data_.dataset, data_.collate, step, {});
    EXPECT_TRUE(started.ok()) << started.error().message;
    for (int i = 0; i < 4; ++i) EXPECT_TRUE(started->run.next().ok());
    EXPECT_TRUE(started->run.save(file_).ok());
    return *std::move(started);
  }

  Result<std::unique_ptr<InferenceRunner>> serve() const {
    NetworkService asked;
    asked.workload = "lenet5";
    asked.data = data_;
    asked.threads = 1;
    asked.largest_batch = 8;
    asked.seed = 5;
    asked.weights = file_;
    return make_network_service(asked);
  }

  static std::string random_state(LoadedRun& training) {
    return training.run.stepper().checkpoint()->find("random state")->bytes;
  }

  TempFolder folder_;
  std::filesystem::path file_ = folder_ / "trained.ckpt";
  RunData data_;
};

TEST_F(ServedWeights, AreThoseOfATrainingWithAnotherOptimizer) {
  LoadedRun training = trained();
  const auto runner = serve();
  ASSERT_TRUE(runner.ok()) << runner.error().message;
  std::vector<InferRequest> requests;
  requests.push_back((*runner)->example(4));
  const StoredTensor& input = requests.front().inputs.front();
  const std::vector<TensorView> views = {{input.name, input.dtype, input.shape,
                                          reinterpret_cast<const std::byte*>(input.bytes.data())}};
  const auto expected = training.run.stepper().infer({views, 4});
  ASSERT_TRUE(expected.ok()) << expected.error().message;
  const TensorView& scores = expected->outputs.tensors.front();
  const std::string bytes(reinterpret_cast<const char*>(scores.data), 4 * 10 * sizeof(float));
  const auto answers = (*runner)->run(requests);
  ASSERT_TRUE(answers.ok()) << answers.error().message;
  EXPECT_EQ(answers->front().front().bytes, bytes);
}

TEST_F(ServedWeights, DoNotSetBackTheRandomStateOfTheTrainingBesideThem) {
  LoadedRun training = trained();
  const std::string of_the_file = random_state(training);
  const auto runner = serve();
  ASSERT_TRUE(runner.ok()) << runner.error().message;
  const std::string before = random_state(training);
  ASSERT_NE(before, of_the_file);
  ASSERT_TRUE((*runner)->take_weights(file_).ok());
  EXPECT_EQ(random_state(training), before);
}

TEST_F(ServedWeights, OfAnotherNetworkAreRefused) {
  trained(11);
  const auto runner = serve();
  ASSERT_FALSE(runner.ok());
  EXPECT_THAT(runner.error().message,
              HasSubstr("trained.ckpt: the checkpoint has 61791 parameters and the network that is "
                        "served 61706"));
}

}  // namespace
}  // namespace flyball
