#include "cost/memory_json.h"

#include <array>

namespace flyball {
namespace {

Json whole(double bytes) {
  return static_cast<int64_t>(bytes);
}

Json moments_json(const StepMemory& step) {
  return {{"forward_end", step.forward_end},
          {"backward_end", step.backward_end},
          {"end", step.end},
          {"blocks", Json::array()}};
}

Json block_json(const MemoryBlock& block, const Json& bytes) {
  return Json::array({static_cast<int>(block.part), block.begin, block.end, bytes});
}

Json step_json(const StepMemory& step) {
  Json json = moments_json(step);
  for (const MemoryBlock& block : step.blocks)
    json["blocks"].push_back(block_json(block, whole(block.bytes)));
  return json;
}

/// `index`: of a block's bytes, where there are two.
StepMemory read_step(const SortedJson& json, double batch_size, size_t index) {
  StepMemory step;
  step.batch_size = batch_size;
  step.forward_end = json.at("forward_end").get<size_t>();
  step.backward_end = json.at("backward_end").get<size_t>();
  step.end = json.at("end").get<size_t>();
  for (const SortedJson& block : json.at("blocks")) {
    const SortedJson& bytes = block.at(3);
    step.blocks.push_back({bytes.is_array() ? bytes.at(index).get<double>() : bytes.get<double>(),
                           memory_parts.at(block.at(0).get<size_t>()), block.at(1).get<size_t>(),
                           block.at(2).get<size_t>()});
  }
  return step;
}

}  // namespace

Json memory_model_json(const MemoryModel& model) {
  const StepMemory &a = model.smaller(), &b = model.larger();
  const Json sizes = {static_cast<int64_t>(a.batch_size), static_cast<int64_t>(b.batch_size)};
  if (!model.by_block())
    return {{"batch_sizes", sizes}, {"steps", Json::array({step_json(a), step_json(b)})}};
  Json json = moments_json(a);
  for (size_t i = 0; i < a.blocks.size(); ++i) {
    const double first = a.blocks[i].bytes, second = b.blocks[i].bytes;
    json["blocks"].push_back(block_json(
        a.blocks[i], first == second ? whole(first) : Json::array({whole(first), whole(second)})));
  }
  json["batch_sizes"] = sizes;
  return json;
}

MemoryModel read_memory_model(const SortedJson& document) {
  std::array<StepMemory, 2> steps;
  for (size_t i = 0; i < steps.size(); ++i) {
    const double batch = document.at("batch_sizes").at(i).get<double>();
    steps[i] = document.contains("steps") ? read_step(document.at("steps").at(i), batch, 0)
                                          : read_step(document, batch, i);
  }
  return MemoryModel::of(std::move(steps[0]), std::move(steps[1])).value();
}

}  // namespace flyball
