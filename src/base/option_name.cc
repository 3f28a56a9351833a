#include "base/option_name.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"

namespace flyball {

std::string option_name(Caller caller, std::string_view option) {
  if (caller == Caller::command_line) return fmt::format("--{}", option);
  std::string name(option);
  std::ranges::replace(name, '-', '_');
  return name;
}

std::string flag_text(Caller caller, std::string_view option) {
  if (caller == Caller::command_line) return option_name(caller, option);
  if (option == "no-store") return "keep=False";
  return option_name(caller, option) + "=True";
}

std::string option_text(std::string_view name, std::string_view value) {
  if (name.starts_with("--")) return fmt::format("{} {}", name, value);
  return parse_double(value) ? fmt::format("{}={}", name, value)
                             : fmt::format("{}=\"{}\"", name, value);
}

std::string figure_option_text(std::string_view name, std::string_view figure,
                               std::string_view value) {
  if (name.starts_with("--")) return fmt::format("{} {}={}", name, figure, value);
  return fmt::format("{}={{\"{}\": \"{}\"}}", name, figure, value);
}

}  // namespace flyball
