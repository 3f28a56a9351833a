// Files that PyTorch saves, as `flyball describe` counts them.

#include "command_testing.h"

namespace {

using namespace flyball::testing_tools;

constexpr double kParameters = 25'557'032;  // of ResNet-50, as torchvision publishes them

class DescribeTest : public CommandTest {
 protected:
  /// Runs Python; `resnet` is torchvision's ResNet-50, `file` names what to write.
  bool python(const std::string& code, const fs::path& file) {
    const fs::path script = write("save.py",
                                  "import sys, torch, torchvision\n"
                                  "file = sys.argv[1]\n"
                                  "resnet = torchvision.models.resnet50(weights=None).eval()\n" +
                                      code + "\n");
    const std::string command =
        "/usr/bin/python3 " + script.string() + " " + file.string() + " >/dev/null 2>&1";
    return std::system(command.c_str()) == 0;
  }
};

bool has_torchvision() {
  return std::system("/usr/bin/python3 -c 'import torchvision' >/dev/null 2>&1") == 0;
}

TEST_F(DescribeTest, AScriptThatTorchvisionSavesHasItsParameters) {
  if (!built_with_torch) GTEST_SKIP() << "built without LibTorch";
  if (!has_torchvision()) GTEST_SKIP() << "no python3-torchvision";
  const fs::path file = folder_ / "resnet50.pt";
  ASSERT_TRUE(python("torch.jit.script(resnet).save(file)", file));
  const Finished done = run({"describe", "script:" + file.string(), "--input", "3x224x224",
                             "--phase", "infer", "--batch-size", "1", "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.json()["parameters"], kParameters);
}

// What is known of a network of ours is told at any batch size: a step of this one would need 1 TB.
TEST_F(DescribeTest, OfANetworkOfOursWithItsUsualInputNothingRuns) {
  std::vector<std::string> words = {"describe", "resnet18", "--batch-size",  "65536",
                                    "--json",   "--device", "twin:orin_nano"};
  const Finished usual = run(words);
  EXPECT_EQ(usual.exit_code, 1) << usual.err;  // it does not fit
  words.insert(words.end(), {"--input", "3x224x224"});
  EXPECT_EQ(run(words).json(), usual.json());
}

TEST_F(DescribeTest, AnOnnxFileOfResNet50IsCountedAsPagodaDid) {
  if (!FLYBALL_ONNX) GTEST_SKIP() << "built without ONNX";
  if (!has_torchvision()) GTEST_SKIP() << "no python3-torchvision";
  const fs::path file = folder_ / "resnet50.onnx";
  // The exporter stores equal numbers once, and new BatchNorms are all alike.
  ASSERT_TRUE(
      python("for layer in resnet.modules():\n"
             "    if isinstance(layer, torch.nn.BatchNorm2d):\n"
             "        torch.nn.init.uniform_(layer.bias)\n"
             "torch.onnx.export(resnet, torch.zeros(1, 3, 224, 224), file, input_names=['x'],\n"
             "                  dynamic_axes={'x': {0: 'n'}})",
             file));
  const Finished done = run({"describe", "onnx:" + file.string(), "--rules", "pagoda", "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  EXPECT_EQ(done.json()["batch_size"], 1);
  EXPECT_EQ(done.json()["phase"], "infer");
  EXPECT_EQ(done.json()["flop"], 8'206'316'544);
  EXPECT_EQ(done.json()["bytes"], 336'671'392);
  // It folds BatchNorms of 26,560 channels in all: of slope and offset the offset is left.
  EXPECT_EQ(done.json()["parameters"], kParameters - 26'560);
}

// Its shapes are worked out of the input's: Shape, Gather, Concat, Where, Reshape, Expand.
TEST_F(DescribeTest, AnOnnxFileOfAVisionTransformerHasItsProducts) {
  if (!FLYBALL_ONNX) GTEST_SKIP() << "built without ONNX";
  if (!has_torchvision()) GTEST_SKIP() << "no python3-torchvision";
  const fs::path file = folder_ / "vit.onnx";
  ASSERT_TRUE(
      python("net = torchvision.models.VisionTransformer(64, 16, 2, 4, 256, 512).eval()\n"
             "torch.onnx.export(net, torch.zeros(2, 3, 64, 64), file, input_names=['x'],\n"
             "                  dynamic_axes={'x': {0: 'n'}}, opset_version=14)",
             file));
  const Finished done = run({"describe", "onnx:" + file.string(), "--batch-size", "3", "--json"});
  ASSERT_EQ(done.exit_code, 0) << done.err;
  const auto answer = done.json();
  double flop = 0;
  for (const auto& layer : answer["layers"])
    if (layer["kind"] == "convolution" || layer["kind"] == "matrix" || layer["kind"] == "attention")
      flop += layer["flop"].get<double>();
  // 16 patches of 3 × 16², then two layers of 17 tokens: queries, keys, values and what comes of
  // them (4 × 256²), scores and their products (2 × 17 × 256), the perceptron (2 × 256 × 512).
  constexpr double width = 256, patches = 16, tokens = 17;
  constexpr double layer = tokens * (4 * width * width + 2 * tokens * width + 4 * width * width);
  constexpr double multiplies = patches * 3 * 16 * 16 * width + 2 * layer + width * 1000;
  EXPECT_NEAR(flop / (2 * 3 * multiplies), 1, 0.002);  // and some biases
}

}  // namespace
