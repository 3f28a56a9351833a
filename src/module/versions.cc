#include "module/versions.h"

#include "module/module.h"

namespace flyball {

std::string library_versions() {
  static const Result<ModuleStamp> stamp = read_stamp();
  return stamp ? "LibTorch " + stamp->libtorch : "no LibTorch";
}

Status check_libraries() {
  const auto loaded = module_function("flyball_step_maker");
  return loaded ? Status() : Status(loaded.error());
}

}  // namespace flyball
