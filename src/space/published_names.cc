#include "space/published_names.h"

#include <algorithm>
#include <array>
#include <vector>

#include "base/lower.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

struct PublishedNetwork {
  const char *begins, *train, *infer;
};
// Longer beginnings come first.
constexpr std::array published_networks = {
    PublishedNetwork{"mobilenetv3large", "mobilenet_v3", "mobilenet_v3"},
    PublishedNetwork{"mobilenet", "mobilenet_v3", "mobilenet_v3"},
    PublishedNetwork{"mobnet", "mobilenet_v3", "mobilenet_v3"},
    PublishedNetwork{"resnet50", "resnet50", "resnet50"},
    PublishedNetwork{"resnet18_cifar10", "resnet18", "resnet18"},
    PublishedNetwork{"resnet", "resnet18", "resnet50"},
    PublishedNetwork{"lenet", "lenet5", "lenet5"},
    PublishedNetwork{"vgg", "vgg11", "vgg11"},
    PublishedNetwork{"yolo8n", "yolov8n", "yolov8n"},
    PublishedNetwork{"yolo", "yolov8n", "yolov8n"},
    PublishedNetwork{"lstm", "lstm", "lstm"},
    PublishedNetwork{"bert_squad", "bert_base", "bert_large"},
    PublishedNetwork{"bert", "bert_base", "bert_large"},
    PublishedNetwork{"vit_", "vit_b16", "vit_b16"},  // no "vitaly"
};
constexpr std::array published_boards = {"orin_nano", "orin_agx", "xavier_nx", "xavier_agx"};

template <class Named>
std::string innermost(const fs::path& folder, Named named) {
  const std::vector<fs::path> parts(folder.begin(), folder.end());
  for (auto part = parts.rbegin(); part != parts.rend(); ++part)
    if (std::string name = named(part->string()); !name.empty()) return name;
  return "";
}

}  // namespace

std::string network_called(std::string_view name, Phase phase) {
  const std::string small = lower(std::string(name));
  for (const PublishedNetwork& one : published_networks)
    if (small.starts_with(one.begins)) return phase == Phase::train ? one.train : one.infer;
  return "";
}

std::string network_named(const std::string& name, Phase phase) {
  for (const PublishedNetwork& one : published_networks)
    if (bare(one.begins) == bare(name)) return phase == Phase::train ? one.train : one.infer;
  return name;
}

std::string board_called(std::string_view name) {
  std::string small = lower(std::string(name));
  std::ranges::replace(small, '-', '_');
  for (const char* board : published_boards)
    if (small.starts_with(board)) return board;
  return "";
}

std::string published_network(const fs::path& folder, Phase phase) {
  return innermost(folder, [phase](std::string_view name) { return network_called(name, phase); });
}

std::string published_board(const fs::path& folder) {
  return innermost(folder, [](std::string_view name) { return board_called(name); });
}

}  // namespace flyball
