#include "workload/networks.h"

#include <fmt/format.h>

namespace flyball {
namespace {

struct Entry {
  const char* workload;
  std::shared_ptr<Network> (*make)(const NetworkShape&);
};

// A line for each of the list in workload.cc.
constexpr Entry entries[] = {
    {"lenet5", make_lenet5},       {"resnet18", make_resnet18},
    {"resnet50", make_resnet50},   {"mobilenet_v3", make_mobilenet_v3},
    {"vgg11", make_vgg11},         {"lstm", make_lstm},
    {"bert_base", make_bert_base}, {"bert_large", make_bert_large},
    {"yolo_v8n", make_yolo_v8n},
};

}  // namespace

Result<std::shared_ptr<Network>> make_network(const std::string& workload,
                                              const NetworkShape& shape) {
  for (const Entry& entry : entries)
    if (entry.workload == workload) return entry.make(shape);
  return Error{Code::internal, fmt::format("workload '{}' has no network", workload),
               "it needs a line in networks.cc"};
}

}  // namespace flyball
