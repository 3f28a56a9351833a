#include "profile/trials/trial_conditions.h"

#include <fmt/format.h>
#include <link.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <set>
#include <string_view>

#include "base/files.h"
#include "base/os/file_version.h"
#include "base/own_variables.h"
#include "base/text.h"
#include "profile/trials/named_variables.h"
#include "profile/trials/program_run.h"
#include "telemetry/process/spawn.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

// Of OpenMP, BLAS, oneDNN, LibTorch, CUDA, the C library's allocator and the dynamic linker.
constexpr std::array variables = {
    "OMP_",    "GOMP_",          "KMP_",      "MKL_",   "OPENBLAS_",
    "BLIS_",   "DNNL_",          "ONEDNN_",   "ATEN_",  "TORCH",
    "PYTORCH", "CUDA_",          "CUBLAS_",   "CUDNN_", "NVIDIA_TF32_OVERRIDE",
    "MALLOC",  "GLIBC_TUNABLES", "LD_PRELOAD"};

// Which libraries and packages a program finds; prompts of an environment are not among these.
constexpr std::array program_variables = {
    "CONDA_PREFIX=", "LD_LIBRARY_PATH=", "PYTHONHOME=", "PYTHONPATH=", "VIRTUAL_ENV="};

// By the beginning of the name behind "lib". Of cuDNN its first part alone: the others are of its
// version, and loaded when they are first needed.
constexpr std::array libraries = {"torch_cpu", "torch_cuda", "cudart",   "cublas",   "cudnn.so",
                                  "dnnl",      "mkl_rt",     "blas",     "openblas", "atlas",
                                  "blis",      "gomp",       "omp",      "iomp",     "jpeg",
                                  "turbojpeg", "jemalloc",   "tcmalloc", "mimalloc"};

bool starts_with_one_of(std::string_view name, const auto& beginnings) {
  return std::ranges::any_of(beginnings,
                             [&](std::string_view start) { return name.starts_with(start); });
}

std::string plain(const std::string& text) {
  if (text_fault(text).empty()) return text;
  std::string escaped;
  for (const unsigned char byte : text)
    escaped += byte >= ' ' && byte < 0x7f ? std::string(1, static_cast<char>(byte))
                                          : fmt::format("\\x{:02x}", byte);
  return escaped;
}

std::string real_path(const fs::path& path) {
  std::error_code ignored;
  return fs::weakly_canonical(path, ignored).string();
}

int take_library(dl_phdr_info* info, size_t, void* into) {
  const fs::path path = info->dlpi_name;
  const std::string name = path.filename().string();
  if (!name.starts_with("lib") || !starts_with_one_of(std::string_view(name).substr(3), libraries))
    return 0;
  const std::string file = real_path(path);
  const auto stamp = file_stamp(file);
  (*static_cast<Conditions*>(into))["library " + name] =
      fmt::format("{}, {} bytes", file, stamp ? stamp->bytes : 0);
  return 0;
}

Conditions variables_of(const auto& beginnings) {
  Conditions found;
  for (char** entry = environ; *entry; ++entry) {
    const std::string text = *entry;
    if (!starts_with_one_of(text, beginnings)) continue;
    const size_t equals = text.find('=');
    found[text.substr(0, equals)] = equals == std::string::npos ? "" : text.substr(equals + 1);
  }
  return found;
}

// Modules in a folder, and in packages there, whose names are among `names`.
void take_modules(const fs::path& folder, const std::set<std::string>& names, int depth,
                  std::vector<fs::path>& found) {
  std::error_code ignored;
  for (const std::string& name : names) {
    const fs::path module = folder / (name + ".py"), package = folder / name;
    if (fs::is_regular_file(module, ignored)) found.push_back(module);
    if (depth == 0 || !fs::is_directory(package, ignored)) continue;
    if (fs::exists(package / "__init__.py", ignored)) found.push_back(package / "__init__.py");
    take_modules(package, names, depth - 1, found);
  }
}

// Does it import what no text names: by a variable, or a name that is put together?
bool imports_by_variable(const std::string& text) {
  for (const std::string_view call : {"import_module", "__import__"})
    for (size_t at = 0; (at = text.find(call, at)) != std::string::npos;) {
      at = text.find_first_not_of(" \t\n", at + call.size());
      if (at == std::string::npos || text[at] != '(') continue;
      at = text.find_first_not_of(" \t\n", at + 1);
      if (at != std::string::npos && text[at] != '"' && text[at] != '\'') return true;
    }
  return false;
}

void take_all_beside(const fs::path& script, std::vector<fs::path>& found) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(script.parent_path(), ignored))
    if (entry.path().extension() == ".py" && entry.is_regular_file(ignored))
      found.push_back(entry.path());
}

// A script and the Python files beside it, or in packages there, that it may import: it names them,
// or one of them does.
std::set<fs::path> python_files(const fs::path& script) {
  constexpr int deepest_package = 6;
  constexpr size_t longest_script = 4 << 20;
  std::set<fs::path> known = {script};
  std::vector<fs::path> unread = {script};
  while (!unread.empty()) {
    const fs::path file = unread.back();
    unread.pop_back();
    const auto text = read_file(file, longest_script);
    if (!text) continue;
    const std::set<std::string> names = names_in(*text);
    std::vector<fs::path> found;
    if (imports_by_variable(*text)) take_all_beside(script, found);
    // A module names others from its own folder or from one above.
    for (fs::path folder = file.parent_path();; folder = folder.parent_path()) {
      take_modules(folder, names, deepest_package, found);
      if (folder == script.parent_path() || folder == folder.parent_path()) break;
    }
    for (const fs::path& module : found)
      if (known.insert(module).second) unread.push_back(module);
  }
  return known;
}

// Those that a shell would find, or that a word names, also as --option=FILE.
std::vector<fs::path> named_files(const std::vector<std::string>& argv) {
  std::vector<fs::path> files;
  const auto take = [&](const fs::path& path) {
    if (file_version(path).empty()) return false;
    files.push_back(real_path(path));
    return true;
  };
  if (!argv.empty()) take(found_on_path(argv.front()));
  for (const std::string& word : argv) {
    const size_t equals = word.find('=');
    if (!take(word) && equals != std::string::npos) take(word.substr(equals + 1));
  }
  return files;
}

}  // namespace

Conditions process_conditions() {
  Conditions found = variables_of(variables);
  found["procedure"] = fmt::format("{}", trial_procedure);
  return found;
}

Conditions library_conditions() {
  Conditions found;
  dl_iterate_phdr(take_library, &found);
  return found;
}

Conditions step_conditions(const StepOptions& step) {
  const StepOptions usual;
  Conditions own;
  if (step.phase == Phase::train) {
    if (step.optimizer != usual.optimizer) own["optimizer"] = optimizer_name(step.optimizer);
    // Rates decide nothing of a step's time, but for whether a decay is computed at all.
    if ((weight_decay(step) != 0) != (weight_decay({.optimizer = step.optimizer}) != 0))
      own["weight decay"] = weight_decay(step) != 0 ? "on" : "off";
    if (step.accumulate != usual.accumulate)
      own["parts of a minibatch"] = std::to_string(step.accumulate);
  }
  if (step.precision != usual.precision) own["precision"] = precision_name(step.precision);
  if (step.channels_last) own["memory format"] = "channels last";
  return own;
}

Conditions power_conditions(const PowerMeter& meter) {
  return {{power_condition, meter.total().empty() ? no_power : meter.total()}};
}

Conditions program_conditions(const std::vector<std::string>& argv, std::span<const Axis> axes) {
  std::error_code ignored;
  Conditions found = variables_of(program_variables);
  const auto is_set = [&](const std::string& variable) {
    return std::ranges::any_of(axes, [&](const Axis& axis) {
      return axis.scope == Scope::run && setting_variable(axis.name) == variable;
    });
  };
  for (const auto& [name, value] : variables_of(std::array{"FLYBALL_"}))
    if (!is_own_variable(name) && !is_set(name)) found[name] = value;
  found["working folder"] = fs::current_path(ignored).string();
  // An environment of Python is known by where its interpreter is a link, not by the interpreter.
  if (!argv.empty()) {
    const fs::path program = found_on_path(argv.front());
    found["program"] = fs::absolute(program.empty() ? fs::path(argv.front()) : program, ignored)
                           .lexically_normal()
                           .string();
  }
  std::set<fs::path> all;
  std::map<std::string, std::set<fs::path>> of_folders;
  for (const fs::path& file : named_files(argv)) {
    found["file " + file.string()] = file_version(file);
    all.insert(file);
    if (file.extension() == ".py")
      of_folders[file.parent_path().string()].merge(python_files(file));
  }
  for (const auto& [folder, files] : of_folders) {
    found["Python files in " + folder] = files_version(std::vector(files.begin(), files.end()));
    all.insert(files.begin(), files.end());
  }
  found.merge(variables_named_in(all));
  return found;
}

std::vector<fs::path> program_files(const std::vector<std::string>& argv) {
  std::vector<fs::path> files = named_files(argv);
  for (size_t i = 0, named = files.size(); i < named; ++i)
    if (files[i].extension() == ".py")
      for (const fs::path& beside : python_files(files[i])) files.push_back(beside);
  return files;
}

Conditions combine(std::initializer_list<Conditions> parts) {
  Conditions all;
  for (const Conditions& part : parts)
    for (const auto& [name, value] : part) all[plain(name)] = plain(value);
  return all;
}

}  // namespace flyball
