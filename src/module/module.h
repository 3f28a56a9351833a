// LibTorch on demand. What needs it is one shared library, `lib/flyball/flyball_torch.so` beside
// the program's `bin`, opened when a network runs or a neural predictor is asked for: LibTorch
// takes a second and 150 MB to start, which no other command pays. The module is a plug-in: C
// functions that each give an abstract class, and no symbol of the program. Rooms that both sides
// link are in both, so what has state (interrupts, registries, threads) stays out of the module.
#pragma once

#include <filesystem>
#include <string>

#include "base/status.h"

namespace flyball {

/// What a module says of itself, read from its file without loading it.
struct ModuleStamp {
  std::string build;  ///< version, compiler and interface: those of the program, or it is refused
  std::string libtorch;  ///< "1.13.1"
  std::string library;   ///< LibTorch's library at build time: "/usr/lib/…/libtorch_cpu.so"
};

/// Is there a module for this program at all (FLYBALL_TORCH)?
bool built_with_torch();
/// Of this program.
std::string module_build();
/// Where the module of this program lies, whether or not it is there.
std::filesystem::path module_file();

/// Errors: this program was built without LibTorch, no such file, no module, one of another build.
Result<ModuleStamp> read_stamp(const std::filesystem::path& file = module_file());
/// As read_stamp(), and LibTorch's library lies where it did, or in LD_LIBRARY_PATH.
Result<ModuleStamp> check_module(const std::filesystem::path& file = module_file());

/// Loads a module for good; its handle for dlsym(). Errors: those of read_stamp(), and a LibTorch
/// that is missing or is not the one it was built with.
Result<void*> load_module(const std::filesystem::path& file);

/// A function of this program's module, which is loaded at the first call.
Result<void*> module_function(const char* name);
/// What the module's `const Interface* name()` gives.
template <class Interface>
Result<const Interface*> module_interface(const char* name) {
  FLYBALL_ASSIGN(void* const function, module_function(name));
  return reinterpret_cast<const Interface* (*)()>(function)();
}

}  // namespace flyball
