// Workloads of the papers' tables: networks with the data that they were fed.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>

#include "base/text.h"
#include "cost/tabled_networks.h"
#include "twin/eager.h"
#include "twin/twin.h"

namespace flyball {
namespace {

constexpr double picture_bytes = 3.0 * 224 * 224 * 4;
constexpr double small_picture_bytes = 3.0 * 32 * 32 * 4;  ///< enlarged where it computes

struct Fed {
  std::string network;
  bool train;
  TwinData data;
  double workers = usual_loader_workers;
  bool half = false;
};

/// Samples and bytes are the data sets' (MNIST, ImageNet's validation part, GLD-23k,
/// COCO-minitrain, SQuAD, WikiText, CIFAR-10). Cycles of JPEG pictures: decoding, resizing,
/// cropping, normalising in Python, read off the times of ResNet-18 and MobileNetV3 where two cores
/// limit them; YOLOv8n's with its own faster decoder, from its published minibatch with and without
/// workers. BoFL trained on minibatches that lay in memory.
const std::vector<Fed>& fed() {
  const TwinData imagenet{50000, 134e3, 19, picture_bytes};
  const TwinData landmarks{23080, 122e3, 26, picture_bytes};
  const TwinData coco{25000, 156e3, 8.4, 3.0 * 640 * 640};
  const TwinData mnist{60000, 784, 0.41, 28 * 28 * 4, false, true};
  const TwinData cifar{50000, 3072, 0.67, small_picture_bytes, false, true};
  const TwinData squad{70000, 574, 0.3, 384 * 3 * 8, false, true};
  const TwinData wikitext{36000, 494, 0.01, 2 * 8 * 8, false, true};
  const TwinData in_memory{0, 0, 0, picture_bytes, true};
  static const std::vector<Fed> all = {{"lenet5", true, mnist},
                                       {"lenet5", false, mnist},
                                       {"vgg11", true, cifar},
                                       {"vgg11", false, cifar},
                                       {"resnet18", true, imagenet},
                                       {"resnet18", false, imagenet},
                                       {"resnet18_cifar10", true, cifar},
                                       {"resnet50", true, in_memory},
                                       {"resnet50", false, imagenet},
                                       {"mobilenet_v3", true, landmarks},
                                       {"mobilenet_v3", false, landmarks},
                                       {"yolo_v8n", true, coco, 0, true},
                                       {"yolo_v8n", false, coco},
                                       {"bert_base", true, squad},
                                       {"bert_base", false, squad},
                                       {"bert_large", true, squad},
                                       {"bert_large", false, squad},
                                       {"lstm", true, wikitext},
                                       {"lstm", false, wikitext},
                                       {"bilstm", true, {0, 0, 0, 256 * 8, true}},
                                       {"bilstm", false, {0, 0, 0, 256 * 8, true}},
                                       {"vit_b16", true, in_memory},
                                       {"vit_b16", false, in_memory}};
  return all;
}

/// What steps of it hold at batch sizes up to 1024; nothing of what Flyball has no such network of.
std::vector<std::pair<double, double>> held_by(const KnownNetwork& network, Phase phase) {
  static std::mutex mutex;
  static std::map<std::pair<std::string, Phase>, std::vector<std::pair<double, double>>> known;
  const std::scoped_lock lock(mutex);
  const auto [found, is_new] = known.try_emplace({network.name, phase});
  if (!is_new) return found->second;
  const auto memory = network_memory(network.name, phase, network.input);
  for (double batch = 1; memory.ok() && batch <= 1024; batch *= 2)
    found->second.emplace_back(batch, memory->model.kept(batch));
  return found->second;
}

}  // namespace

Result<TwinWorkload> known_twin_workload(const std::string& name, Phase phase) {
  TwinWorkload workload;
  workload.name = name;
  const KnownNetwork network = tabled_network(name, phase);
  for (const int64_t batch : {8, 16}) {
    auto layers = eager_layers(network.name, phase, batch);
    if (!layers)
      return Error{Code::not_found, fmt::format("the network '{}' is not known to the twin", name),
                   name_hint(name, eager_networks())};
    workload.layers.push_back(*std::move(layers));
  }
  // However it is spelled, it is one workload; what tables call otherwise keeps that name.
  const std::string own = workload.layers.front().workload;
  if (same_network(name, own)) workload.name = own;
  for (const Fed& one : fed()) {
    const bool named = one.network == name || one.network == own;
    if (!named || one.train != (phase == Phase::train)) continue;
    workload.data = one.data;
    workload.loader_workers = one.workers;
    workload.half_precision = one.half;
  }
  // What is kept of networks is of single precision.
  if (!workload.half_precision) workload.held = held_by({own, network.input}, phase);
  return workload;
}

void keep_requests_at_hand(TwinWorkload& workload, const std::vector<Axis>& axes) {
  const bool loads = std::ranges::any_of(axes, [](const Axis& one) {
    return one.name == axis::loader_workers || one.name == axis::prefetch;
  });
  if (!workload.layers.empty() && workload.layers.front().phase == Phase::infer && !loads)
    workload.data.resident = true;
}

}  // namespace flyball
