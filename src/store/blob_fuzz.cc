// Any bytes are a series or are refused; what decodes encodes to a series that decodes the same.
#include "store/blob.h"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto times = flyball::decode_minibatches(bytes); times.ok()) {
    const auto encoded = flyball::encode_minibatches(*times);
    if (encoded.ok() && flyball::decode_minibatches(*encoded).value() != *times) std::abort();
  }
  if (const auto trace = flyball::decode_trace(bytes); trace.ok()) {
    const auto encoded = flyball::encode_trace(*trace);
    if (encoded.ok() && flyball::decode_trace(*encoded).value() != *trace) std::abort();
  }
  return 0;
}
