// What an argument of a command names: a network, a measured table or a file that holds a network.
#pragma once

#include <string>

namespace flyball {

/// "lenet5" is a network; "script:FILE" TorchScript; "onnx:FILE" an ONNX file. What ends in .csv,
/// has a workload behind it (FILE.csv:WORKLOAD) or is a path is a table.
struct NamedSource {
  enum class Kind { network, table, script, onnx };

  Kind kind = Kind::network;
  std::string name;        ///< of the network, or the file
  std::string workload{};  ///< of a table, where one is named

  bool is_table() const { return kind == Kind::table; }
};

NamedSource read_source(const std::string& text);

}  // namespace flyball
