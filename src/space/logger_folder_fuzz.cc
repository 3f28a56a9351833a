// The first byte chooses one of the logs of a run; the rest is that file, as anybody may have
// written it, beside minibatches that hold.
#include "space/logger_folder.h"

#include <cstdint>
#include <cstdlib>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  if (size == 0) return 0;
  using flyball::LoggerTexts;
  constexpr std::string LoggerTexts::*files[] = {
      &LoggerTexts::epoch_stats, &LoggerTexts::fetch,         &LoggerTexts::compute,
      &LoggerTexts::tegrastats,  &LoggerTexts::vmtouch_stats, &LoggerTexts::io_stats};
  LoggerTexts texts;
  texts.epoch_stats = "epoch,epochtime_ms,log_time\n0,6000,6\n0,400,6.4\n";
  texts.*files[data[0] % 6] = std::string(reinterpret_cast<const char*>(data + 1), size - 1);
  const auto run = flyball::parse_logger_run(texts, "fuzz");
  if (!run.ok()) {
    if (run.error().message.empty() || run.error().message.find('\n') != std::string::npos)
      std::abort();
    return 0;
  }
  if (run->minibatches.empty()) std::abort();
  for (const flyball::LoggedMinibatch& one : run->minibatches)
    if (!(one.minibatch_ms >= 0) || !(one.end_s >= 0)) std::abort();
  for (const flyball::LoggedPower& one : run->power)
    if (!(one.power_w >= 0)) std::abort();
  for (const flyball::LoggedCache& one : run->cache)
    if (one.cached && !(*one.cached >= 0 && *one.cached <= 1)) std::abort();
  return 0;
}
