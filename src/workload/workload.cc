#include "workload/workload.h"

#include <fmt/format.h>

#include "base/text.h"
#include "workload/networks.h"

namespace flyball {

const std::vector<Workload>& workloads() {
  const std::vector<Phase> both = {Phase::train, Phase::infer};
  static const std::vector<Workload> list = {
      {"lenet5",
       "LeNet-5 on 28×28 digits (LeCun 1998, with ReLU and max pooling)",
       "mnist",
       {{1, 28, 28}, 10},
       60000,
       61706,
       both,
       make_lenet5},
  };
  return list;
}

Result<const Workload*> find_workload(const std::string& name) {
  std::vector<std::string> names;
  for (const Workload& workload : workloads()) {
    if (workload.name == name) return &workload;
    names.push_back(workload.name);
  }
  const auto near = closest(name, names);
  return Error{Code::not_found, fmt::format("there is no workload '{}'", name),
               near ? fmt::format("did you mean '{}'?", *near) : "one of: " + join(names, ", ")};
}

}  // namespace flyball
