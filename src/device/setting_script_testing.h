// Files behind the knobs that do what drivers do and plain files cannot: round, refuse, lag, come
// and go with cores, take clocks up only after a reboot. Everything else is as in the tree.
#pragma once

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "base/text.h"
#include "device/setting_files.h"

namespace flyball {

class SettingScript final : public SettingFiles {
 public:
  /// What a write to a file whose path ends so becomes: another text, or an error.
  using Answer = std::function<Result<std::string>(const std::string& written)>;

  void on_write(const std::string& ending, Answer answer) { answers_[ending] = std::move(answer); }
  void refuse(const std::string& ending) {
    on_write(ending, [ending](const std::string&) -> Result<std::string> {
      return Error{Code::io, "cannot write to " + ending + ": Invalid argument", ""};
    });
  }
  /// Rounds a number up to the next of this list.
  void round_up(const std::string& ending, std::vector<double> to) {
    on_write(ending, [to](const std::string& text) -> Result<std::string> {
      const auto next = std::ranges::lower_bound(to, parse_double(text).value_or(0));
      return format_number(next == to.end() ? to.back() : *next);
    });
  }
  /// Goes down, never up: as old releases until a reboot.
  void only_down(const std::string& ending) {
    answers_[ending] = nullptr;
  }
  /// Shows a new value only at the n-th read after a write.
  void lag(const std::string& ending, int reads) { lags_[ending] = reads; }

  Result<std::string> read(const std::filesystem::path& file) override {
    const auto late = late_.find(file.string());
    if (late != late_.end() && late->second.reads-- > 0) return late->second.before;
    return kernel_files().read(file);
  }
  Status write(const std::filesystem::path& file, const std::string& value) override {
    log.push_back(file.filename().string() + "=" + value);
    paths.push_back(file);
    const std::string path = file.string();
    std::string taken = value;
    for (const auto& [ending, answer] : answers_) {
      if (!path.ends_with(ending)) continue;
      if (!answer) {
        FLYBALL_ASSIGN(const std::string now, kernel_files().read(file));
        if (parse_double(trim(now)).value_or(0) < parse_double(value).value_or(0)) return {};
        continue;
      }
      FLYBALL_ASSIGN(taken, answer(value));
    }
    for (const auto& [ending, reads] : lags_)
      if (path.ends_with(ending))
        if (const auto before = kernel_files().read(file)) late_[path] = {*before, reads};
    return kernel_files().write(file, taken);
  }

  std::vector<std::string> log;  ///< "scaling_max_freq=729600", in their order
  std::vector<std::filesystem::path> paths;

 private:
  struct Late {
    std::string before;
    int reads = 0;
  };
  std::map<std::string, Answer> answers_;
  std::map<std::string, int> lags_;
  std::map<std::string, Late> late_;
};

}  // namespace flyball
