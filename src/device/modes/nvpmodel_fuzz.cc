// Whatever stands in nvpmodel.conf: taken, or refused by line.
#include <cstdint>
#include <cstdlib>

#include "device/modes/nvpmodel_conf.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto conf = flyball::parse_nvpmodel(text, "conf");
  for (const auto& mode : conf.modes)
    for (const auto& setting : mode.settings)
      if (setting.path.empty() || setting.path.front() != '/') std::abort();
  for (const auto& refused : conf.refused)
    if (!refused.message.starts_with("conf:")) std::abort();
  (void)flyball::parse_nvpmodel_status(text);
  return 0;
}
