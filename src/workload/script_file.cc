#include "workload/script_file.h"

#include <fmt/format.h>
#include <unistd.h>

#include <string_view>

#include "base/files.h"

namespace flyball {

Status check_script_file(const std::string& file) {
  const auto opened = open_regular(file);
  if (!opened && opened.error().code == Code::not_found)
    return Error{Code::not_found, fmt::format("there is no TorchScript file '{}'", file),
                 "write one in Python: torch.jit.script(model).save(\"model.pt\")"};
  if (!opened) return opened.error();
  constexpr std::string_view archive = "PK\x03\x04";
  char beginning[archive.size()] = {};
  if (::pread(opened->descriptor.get(), beginning, sizeof beginning, 0) == sizeof beginning &&
      std::string_view(beginning, sizeof beginning) == archive)
    return {};
  return Error{Code::corrupt, fmt::format("'{}' is no TorchScript: it is no archive", file),
               "write it in Python: torch.jit.script(model).save(\"model.pt\"); torch.save() "
               "writes another format"};
}

}  // namespace flyball
