#include "space/named_source.h"

namespace flyball {

NamedSource read_source(const std::string& text) {
  using Kind = NamedSource::Kind;
  const auto behind = [&text](const std::string& prefix) { return text.substr(prefix.size()); };
  if (text.starts_with("script:")) return {Kind::script, behind("script:")};
  if (text.starts_with("onnx:")) return {Kind::onnx, behind("onnx:")};
  if (const size_t colon = text.rfind(".csv:"); colon != std::string::npos)
    return {Kind::table, text.substr(0, colon + 4), text.substr(colon + 5)};
  const bool path = text.ends_with(".csv") || text.find('/') != std::string::npos;
  return {path ? Kind::table : Kind::network, text};
}

}  // namespace flyball
