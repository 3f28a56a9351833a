// Feeds a fuzzer with files instead of inventions, so that an ordinary compiler proves that it
// builds and that what once was found stays mended: REPLAY FILE-OR-FOLDER...
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size);

namespace {

namespace fs = std::filesystem;

bool replay(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes(std::istreambuf_iterator<char>(file), {});
  std::printf("%s, %zu bytes\n", path.c_str(), bytes.size());
  std::fflush(stdout);  // the last one named is the one that crashed
  LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
  return !bytes.empty() && file.good();
}

}  // namespace

int main(int argc, char** argv) {
  std::vector<fs::path> files;
  for (int i = 1; i < argc; ++i) {
    if (!fs::is_directory(argv[i]))
      files.emplace_back(argv[i]);
    else
      for (const auto& entry : fs::directory_iterator(argv[i])) files.push_back(entry.path());
  }
  if (files.empty()) {
    std::fprintf(stderr, "%s: no seeds to replay\n", argv[0]);
    return 2;
  }
  LLVMFuzzerTestOneInput(nullptr, 0);
  for (const fs::path& file : files)
    if (!replay(file)) {
      std::fprintf(stderr, "%s: cannot be read, or is empty\n", file.c_str());
      return 2;
    }
  return 0;
}
