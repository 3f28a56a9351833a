#include "predict/roofline/network_work.h"

#include "cost/networks.h"

namespace flyball {
namespace {

MinibatchWork sums(const LayerTable& table) {
  MinibatchWork work;
  for (const Layer& layer : table.layers) {
    work.bytes += layer.bytes;
    work.kernels += layer.kernels;
    switch (layer.kind) {
      case LayerKind::convolution:
      case LayerKind::matrix:
      case LayerKind::attention:
      case LayerKind::recurrent:
        work.dense_flop += layer.flop;
        break;
      case LayerKind::depthwise:
        work.depthwise_flop += layer.flop;
        break;
      default:
        break;  // bound by the bytes
    }
  }
  return work;
}

}  // namespace

NetworkWork::NetworkWork(const LayerTable& a, const LayerTable& b)
    : first_(a.batch_size), second_(b.batch_size), at_first_(sums(a)), at_second_(sums(b)) {}

Result<NetworkWork> NetworkWork::of(const WorkloadTable& table) {
  FLYBALL_ASSIGN(const LayerTable a, network_layers(table.workload, table.phase, 2));
  FLYBALL_ASSIGN(const LayerTable b, network_layers(table.workload, table.phase, 4));
  return NetworkWork(a, b);
}

MinibatchWork NetworkWork::at(double batch) const {
  const double way = (batch - first_) / (second_ - first_);
  const auto between = [way](double a, double b) { return a + way * (b - a); };
  return {between(at_first_.dense_flop, at_second_.dense_flop),
          between(at_first_.depthwise_flop, at_second_.depthwise_flop),
          between(at_first_.bytes, at_second_.bytes),
          between(at_first_.kernels, at_second_.kernels)};
}

}  // namespace flyball
