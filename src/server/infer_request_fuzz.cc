// Any bytes are a sound request, whose tensors are as large as their shapes say and whose answer is
// JSON again, or are refused in words. The first byte chooses whether binary data follow.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/json.h"
#include "server/http_text.h"
#include "server/infer_request.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace flyball;
  if (size == 0) return 0;
  const ServiceInfo service = {"net",
                               {{.name = "x", .dtype = DType::float32, .shape = {2}},
                                {.name = "ids", .dtype = DType::int64, .shape = {-1}},
                                {.name = "mask", .dtype = DType::boolean, .shape = {}}},
                               {{.name = "x", .dtype = DType::float32, .shape = {2}}},
                               4,
                               1};
  const std::string body(reinterpret_cast<const char*>(data + 1), size - 1);
  (void)segments_of(body);
  (void)parse_listen_address(body);
  if (const auto plain = decompressed("gzip", body, 1 << 16);
      plain.ok() && plain->size() > (1 << 16))
    std::abort();
  std::optional<std::string> header;
  if (data[0] % 2 == 1) header = std::to_string(body.find("}]}") + 3);
  const auto call = read_infer(service, body, header);
  if (!call.ok()) {
    if (call.error().message.empty()) std::abort();
    return 0;
  }
  for (const StoredTensor& input : call->inputs)
    if (input.bytes.size() !=
        static_cast<size_t>(input.shape.elements()) * dtype_bytes(input.dtype))
      std::abort();
  const auto answer = write_infer(service, *call, {call->inputs.front()});
  if (!answer.ok()) std::abort();
  const std::string json =
      answer->bytes.substr(0, answer->header_length.value_or(answer->bytes.size()));
  if (!SortedJson::accept(json)) std::abort();
  return 0;
}
