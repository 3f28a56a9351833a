#include "telemetry/sensors/proc_sensor.h"

#include <fmt/format.h>

#include "base/clock.h"

namespace flyball {
namespace {

class ProcSensor final : public Sensor {
 public:
  ProcSensor(SensorInfo info, std::shared_ptr<SharedFile> file, ParseFile parse)
      : Sensor(std::move(info)), file_(std::move(file)), parse_(std::move(parse)) {}

  Result<double> read() override {
    const auto value = file_->parse(seen_, parse_);
    if (!value) return value.error();
    if (*value) return **value;
    return Error{Code::corrupt, fmt::format("{} does not hold {}", file_->path(), info().name), ""};
  }

 private:
  std::shared_ptr<SharedFile> file_;
  ParseFile parse_;
  uint64_t seen_ = 0;
};

class SumOfFiles final : public Sensor {
 public:
  SumOfFiles(SensorInfo info, std::vector<std::string> paths, double scale)
      : Sensor(std::move(info)), scale_(scale) {
    for (std::string& path : paths) files_.push_back({KeptFile(std::move(path)), {}});
  }

  Result<double> read() override {
    double sum = 0;
    Status failed;
    size_t read = 0;
    for (Part& part : files_) {
      const auto value = part.file.read_number();
      if (value) {
        part.last = *value;
        ++read;
      } else if (failed = value.error(); !part.last) {
        return value.error();
      }
      sum += *part.last * scale_;
    }
    if (read == 0 && !failed.ok()) return failed.error();
    return sum;
  }

 private:
  struct Part {
    KeptFile file;
    std::optional<double> last;
  };
  std::vector<Part> files_;
  double scale_;
};

constexpr int64_t kFreshNs = 1'000'000;

}  // namespace

Result<std::optional<double>> SharedFile::parse(uint64_t& seen, const ParseFile& parse) {
  const std::lock_guard lock(mutex_);
  if (const int64_t now = monotonic_ns(); seen >= turn_ || now - read_ns_ > kFreshNs) {
    const auto text = file_.read(buffer_);
    read_ns_ = 0;
    if (!text) return text.error();
    text_ = *text;
    read_ns_ = now;
    ++turn_;
  }
  seen = turn_;
  return parse(text_);
}

SensorPtr proc_sensor(SensorInfo info, std::shared_ptr<SharedFile> file, ParseFile parse) {
  return std::make_shared<ProcSensor>(std::move(info), std::move(file), std::move(parse));
}

SensorPtr proc_sensor(SensorInfo info, std::string path, size_t buffer_bytes, ParseFile parse) {
  return proc_sensor(std::move(info), std::make_shared<SharedFile>(std::move(path), buffer_bytes),
                     std::move(parse));
}

SensorPtr sum_of_files(SensorInfo info, std::vector<std::string> paths, double scale) {
  return std::make_shared<SumOfFiles>(std::move(info), std::move(paths), scale);
}

void add_if_readable(SensorList& list, SensorPtr sensor) {
  const auto value = sensor->read();
  if (value)
    list.sensors.push_back(std::move(sensor));
  else
    list.gaps.push_back(value.error().within(sensor->info().name));
}

}  // namespace flyball
