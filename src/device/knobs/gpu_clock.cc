// The clock of a board's GPU, by devfreq.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "base/files.h"
#include "base/folder_entries.h"
#include "device/knobs/clock_range.h"
#include "device/knobs/knob.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

class GpuClock final : public Knob {
 public:
  GpuClock(KnobPlace place, const fs::path& folder, std::vector<double> values)
      : Knob(named_axis(axis::gpu_mhz, std::move(values))),
        place_(std::move(place)),
        range_{folder / "min_freq", folder / "max_freq", hz_per_mhz},
        now_(folder / "cur_freq") {}

  Result<double> cap() const override { return range_.mhz(*place_.files, range_.max_file); }
  Result<double> now() const override { return range_.mhz(*place_.files, now_); }
  Status settable() const override {
    for (const fs::path& file : {range_.min_file, range_.max_file})
      if (::access(file.c_str(), W_OK) != 0) return file_error("set", file, errno);
    return {};
  }
  Status set(double low, double high, SettingsJournal* journal) override {
    // A cap that is no listed value (a preset's) becomes the step below.
    return range_.set(*journal, low, high, {.below = low < high ? 0.1 * high * hz_per_mhz : 0});
  }

 private:
  KnobPlace place_;
  ClockRange range_;
  fs::path now_;
};

// A board that is not known: what calls itself a GPU.
std::vector<fs::path> gpus_by_name(const fs::path& root) {
  std::vector<fs::path> found = folder_entries(root / "sys/class/devfreq");
  std::erase_if(found, [](const fs::path& device) { return device.extension() != ".gpu"; });
  return found;
}

}  // namespace

Result<KnobPtr> find_gpu_clock(const KnobPlace& place, const BoardSpec* board) {
  std::vector<fs::path> folders;
  if (board)
    for (const std::string& folder : board->gpu_folders) folders.push_back(place.root / folder);
  for (const fs::path& folder : gpus_by_name(place.root)) folders.push_back(folder);
  Error why{Code::unavailable, "gpu_mhz cannot be set: no GPU with a clock was found",
            "boards without one have no such axis"};
  for (const fs::path& folder : folders) {
    std::error_code missing;
    const fs::path real = fs::canonical(folder, missing);
    if (missing) continue;
    const fs::path file = real / "available_frequencies";
    const auto text = place.files->read(file);
    auto list = text ? parse_clock_list(*text, hz_per_mhz) : std::vector<double>();
    if (!list.empty()) return KnobPtr(std::make_unique<GpuClock>(place, real, std::move(list)));
    why = text ? Error{Code::corrupt, "gpu_mhz cannot be set: " + file.string() + " lists no clock",
                       "does this kernel write another format?"}
               : text.error().within("gpu_mhz cannot be set");
  }
  return why;
}

}  // namespace flyball
