// Any bytes are a network or are refused; what a network costs is never negative.
#include <cstdint>
#include <cstdlib>

#include "cost/counting.h"
#include "graph/onnx_network.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string bytes(reinterpret_cast<const char*>(data), size);
  const auto network = flyball::onnx_network(bytes, {.batch_size = 1});
  if (!network) return 0;
  for (const flyball::Layer& layer : flyball::count_exact(network->graph))
    if (!(layer.flop >= 0) || !(layer.bytes >= 0)) std::abort();
  flyball::count_pagoda(network->graph, flyball::Phase::infer, 1);
  return 0;
}
