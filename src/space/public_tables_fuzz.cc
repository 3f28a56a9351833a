// The first byte chooses the format; the rest is a file of somebody else's.
#include <cstdint>
#include <cstdlib>

#include "space/public_tables.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  std::vector<flyball::PublicFormat> formats = flyball::public_formats();
  std::erase_if(formats, [](const auto& format) { return !format.read; });
  const flyball::PublicFormat& format = formats[data[0] % formats.size()];
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  const char* file = format.name == "bofl" ? "AGX/CIFAR10.json" : "resnet_infer_data_final.csv";
  const auto imported = format.read(text, file, {});
  if (!imported.ok()) {
    if (imported.error().message.empty() ||
        imported.error().message.find('\n') != std::string::npos)
      std::abort();
    return 0;
  }
  if (imported->table.workloads.empty()) std::abort();
  for (const flyball::WorkloadTable& table : imported->table.workloads)
    for (const double ms : table.minibatch_ms)
      if (!(ms > 0)) std::abort();
  return 0;
}
