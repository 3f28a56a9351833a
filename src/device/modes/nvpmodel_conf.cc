#include "device/modes/nvpmodel_conf.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <sstream>

#include "base/text.h"

namespace flyball {
namespace {

constexpr size_t most_lines = 100'000, most_refused = 100;

std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  std::istringstream stream{std::string(text)};
  for (std::string word; stream >> word;) words.push_back(std::move(word));
  return words;
}

class Parser {
 public:
  explicit Parser(std::string file) : file_(std::move(file)) {}

  NvpmodelConf parse(std::string_view text) {
    size_t begin = 0;
    while (begin < text.size() && number_ < most_lines) {
      const size_t end = std::min(text.find('\n', begin), text.size());
      ++number_;
      line(text.substr(begin, end - begin));
      begin = end + 1;
    }
    return std::move(conf_);
  }

 private:
  void refuse(const std::string& why) {
    if (conf_.refused.size() < most_refused)
      conf_.refused.push_back({Code::corrupt, fmt::format("{}:{}: {}", file_, number_, why),
                               "the rest of the file was taken"});
  }

  void line(std::string_view text) {
    text = trim(text.substr(0, text.find('#')));
    if (text.empty()) return;
    if (const std::string fault = text_fault(text); !fault.empty()) return refuse("this " + fault);
    if (text.front() == '<') return block(text);
    const auto words = words_of(text);
    if (mode_) return setting(words);
    if (param_.empty()) return refuse("this belongs to no block");
    if (words.size() != 2 || words[1].front() != '/')
      return refuse("an argument and its file were expected");
    paths_[param_][words[0]] = words[1];
  }

  // "< PARAM TYPE=FILE NAME=GPU >", with or without the blanks.
  void block(std::string_view text) {
    mode_ = false;
    param_.clear();
    if (text.back() != '>') return refuse("this block is not closed by '>'");
    const auto words = words_of(text.substr(1, text.size() - 2));
    if (words.empty()) return refuse("this block has no name");
    std::map<std::string, std::string> values;
    for (size_t i = 1; i < words.size(); ++i) {
      const size_t equals = words[i].find('=');
      if (equals == std::string::npos) return refuse("KEY=VALUE was expected: " + words[i]);
      values[words[i].substr(0, equals)] = words[i].substr(equals + 1);
    }
    if (words[0] == "PARAM") {
      param_ = values["NAME"];
      if (param_.empty()) refuse("this PARAM has no NAME");
    } else if (words[0] == "POWER_MODEL") {
      power_model(values);
    } else if (words[0] == "PM_CONFIG") {
      conf_.default_mode = id_of(values["DEFAULT"]);
      if (!conf_.default_mode) refuse("this default is no ID of a mode");
    } else if (words[0] != "FAN_CONFIG") {  // the fan's profile is no part of a mode
      refuse("there is no block " + words[0]);
    }
  }

  void power_model(std::map<std::string, std::string>& values) {
    const auto id = id_of(values["ID"]);
    if (!id) return refuse("this mode has no ID");
    const bool taken = std::ranges::find(conf_.modes, *id, &NvpmodelMode::id) != conf_.modes.end();
    if (taken) return refuse(fmt::format("there is a mode {} already", *id));
    const std::string& name = values["NAME"];
    conf_.modes.push_back({*id, name.empty() ? fmt::format("mode {}", *id) : name, {}});
    mode_ = true;
  }

  void setting(const std::vector<std::string>& words) {
    if (words.size() != 3) return refuse("a PARAM, its argument and a value were expected");
    const auto param = paths_.find(words[0]);
    if (param == paths_.end()) return refuse("there is no PARAM " + words[0]);
    const auto path = param->second.find(words[1]);
    if (path == param->second.end())
      return refuse(fmt::format("PARAM {} has no argument {}", words[0], words[1]));
    conf_.modes.back().settings.push_back({words[0], words[1], path->second, words[2]});
  }

  static std::optional<int> id_of(const std::string& text) {
    const auto id = parse_integer(text);
    if (!id || *id < 0 || *id > 9999) return {};
    return static_cast<int>(*id);
  }

  std::string file_;
  size_t number_ = 0;
  bool mode_ = false;  // within a POWER_MODEL: settings belong to the last mode
  std::string param_;  // within a PARAM of this name
  std::map<std::string, std::map<std::string, std::string>> paths_;
  NvpmodelConf conf_;
};

}  // namespace

NvpmodelConf parse_nvpmodel(std::string_view text, const std::string& file) {
  return Parser(file).parse(text);
}

std::optional<int> parse_nvpmodel_status(std::string_view text) {
  constexpr std::string_view key = "pmode:";
  const size_t begin = text.find(key);
  if (begin == std::string_view::npos) return {};
  const size_t digits = begin + key.size();
  const size_t end = std::min(text.find_first_not_of("0123456789", digits), text.size());
  const auto id = parse_integer(text.substr(digits, end - digits));
  if (!id || *id > 9999) return {};
  return static_cast<int>(*id);
}

}  // namespace flyball
