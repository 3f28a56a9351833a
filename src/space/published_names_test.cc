#include "space/published_names.h"

#include <gtest/gtest.h>

namespace flyball {
namespace {

using std::filesystem::path;

TEST(PublishedNames, AreNetworksByPhaseAndBoards) {
  EXPECT_EQ(network_called("ResNet", Phase::train), "resnet18");
  EXPECT_EQ(network_called("resnet_infer_data_final", Phase::infer), "resnet50");
  EXPECT_EQ(network_called("ResNet50", Phase::train), "resnet50");
  EXPECT_EQ(network_called("yolo_train", Phase::train), "yolov8n");
  EXPECT_EQ(network_called("runs", Phase::train), "");
  EXPECT_EQ(board_called("Orin-nano2"), "orin_nano");
  EXPECT_EQ(board_called("nano"), "");
}

TEST(PublishedNames, StandWholeForANetwork) {
  EXPECT_EQ(network_named("MobNet", Phase::infer), "mobilenet_v3");
  EXPECT_EQ(network_named("BERT-SQuAD", Phase::train), "bert_base");
  EXPECT_EQ(network_named("bert", Phase::infer), "bert_large");
  EXPECT_EQ(network_named("resnet18", Phase::infer), "resnet18");
  EXPECT_EQ(network_named("resnet34", Phase::train), "resnet34");
  EXPECT_EQ(network_named("bert_base", Phase::infer), "bert_base");
  EXPECT_EQ(network_named("net", Phase::train), "net");
}

TEST(PublishedNames, OfFoldersTheInnermostCounts) {
  const path folder = "/data/xavier-agx/Orin-nano2/resnet/MobNet/pm_4";
  EXPECT_EQ(published_network(folder, Phase::train), "mobilenet_v3");
  EXPECT_EQ(published_board(folder), "orin_nano");
  EXPECT_EQ(published_board(path("/data")), "");
}

}  // namespace
}  // namespace flyball
