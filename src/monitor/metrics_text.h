// Prometheus's text format, as /metrics of every server of ours writes it.
#pragma once

#include <fmt/format.h>

#include <iterator>
#include <string>
#include <string_view>

namespace flyball {

/// NAME="VALUE": what would end the value is escaped.
std::string metric_label(std::string_view name, std::string_view value);

/// The lines # HELP and # TYPE: once, before all samples of the metric.
void begin_metric(std::string& text, const char* name, const char* type, const char* help);

/// One line; `labels` joined by commas, or "".
template <class T>
void add_sample(std::string& text, const char* name, const std::string& labels, T value) {
  const std::string in_braces = labels.empty() ? "" : "{" + labels + "}";
  fmt::format_to(std::back_inserter(text), "{}{} {}\n", name, in_braces, value);
}

}  // namespace flyball
