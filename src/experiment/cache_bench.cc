// Epoch time of a disk-bound training input: our loader with a sample cache against PyTorch's
// DataLoader, which has the page cache, in the same memory. JPEGs of 500 × 375, random resized crop
// to 32, batch 16, 4 workers, prefetch 2, a throttled disk, no network. Each side is a process of
// its own that has run an epoch before it is limited to what it then holds for itself, 4 MB more
// and, for the set, the given share of its bytes (ours holds that in its cache by then). The set is
// dropped from the page cache then, and the next epoch is not counted. Ratios are of medians over
// epochs of rounds in which both take turns. Needs root; TMPDIR on a disk.
// usage: cache_bench [--rounds N] [--images N] [--rate MB/s] [--epochs N]
//
// Peer: PyTorch | ${FLYBALL_PYTHON:-/usr/bin/python3} -c "import torch, torchvision, PIL"
#include <fmt/format.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/os/temp_folder.h"
#include "base/statistics.h"
#include "data/formats/open.h"
#include "data/loader/loader.h"
#include "data/makers/make.h"
#include "data/pictures/picture_collate.h"
#include "experiment/limits.h"
#include "telemetry/process/process_tree.h"
#include "telemetry/sensors/page_cache.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
constexpr int kWorkers = 4, kPrefetch = 2;
constexpr int64_t kBatch = 16;
// Of a crop's side: minibatches on their way, of which PyTorch has more, must be small beside the
// set, since they come and go in the memory that is limited.
constexpr int kSize = 32;
constexpr uint64_t kSlack = 4'000'000;  // that each side may newly take for itself while it runs

[[noreturn]] void die(const Error& error) {
  fmt::print(stderr, "cache_bench: {}. {}\n", error.message, error.hint);
  std::exit(2);
}

template <class T>
T must(Result<T> result) {
  if (!result.ok()) die(result.error());
  return *std::move(result);
}

void must(const Status& status) {
  if (!status.ok()) die(status.error());
}

struct Epoch {
  double seconds = 0, read_bytes = 0;
};

void run_epoch(Loader& loader, int64_t epoch) {
  loader.start_epoch(epoch);
  while (must(loader.next())) {
  }
}

// Read from storage by this process so far.
uint64_t storage_bytes() {
  const auto io = read_pid_io(::getpid());
  if (!io) die({Code::unavailable, "the kernel does not account I/O per process", ""});
  return io->read_bytes;
}

// Our side: as pytorch_epochs.py, but that the cache is filled before it is ready.
int run_side(const fs::path& folder, int epochs, uint64_t cache_bytes) {
  const DatasetPtr set = must(open_dataset(folder, Split::train));
  TransformOptions transform = default_transform(set->kind(), true);
  transform.size = kSize;
  const CollatePtr collate = make_picture_collate(must(Transform::create(*set, transform)));
  LoaderOptions options{.batch_size = kBatch, .workers = kWorkers, .prefetch = kPrefetch};
  options.cache = must(SampleCache::open(set, {.bytes = cache_bytes}));
  const auto loader = must(Loader::create(set, collate, options));
  run_epoch(*loader, 0);
  std::puts("ready");
  std::fflush(stdout);
  (void)std::getchar();
  for (int epoch = 1; epoch <= epochs; ++epoch) {
    const uint64_t before = storage_bytes();
    const Stopwatch watch;
    run_epoch(*loader, epoch);
    const double seconds = watch.seconds();
    fmt::print("{} {}\n", seconds, storage_bytes() - before);
    std::fflush(stdout);
  }
  return 0;
}

// A process with pipes to what it reads and from what it writes.
class Side {
 public:
  explicit Side(std::vector<std::string> words) {
    int in[2], out[2];
    if (::pipe(in) != 0 || ::pipe(out) != 0) die({Code::io, "no pipe", ""});
    child_ = ::fork();
    if (child_ == 0) {
      ::dup2(in[0], 0);
      ::dup2(out[1], 1);
      for (const int fd : {in[0], in[1], out[0], out[1]}) ::close(fd);
      std::vector<char*> argv;
      for (std::string& word : words) argv.push_back(word.data());
      argv.push_back(nullptr);
      ::execv(argv[0], argv.data());
      ::_exit(127);
    }
    ::close(in[0]);
    ::close(out[1]);
    to_ = in[1];
    from_ = ::fdopen(out[0], "r");
  }
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;
  ~Side() {
    ::close(to_);
    std::fclose(from_);
    ::kill(child_, SIGKILL);
    ::waitpid(child_, nullptr, 0);
  }
  // The next line it writes; nothing when it has ended.
  std::optional<std::string> line() {
    char text[256];
    if (std::fgets(text, sizeof text, from_) == nullptr) return {};
    return std::string(text);
  }
  void go() { (void)!::write(to_, "go\n", 3); }

 private:
  pid_t child_ = -1;
  int to_ = -1;
  std::FILE* from_ = nullptr;
};

// Epochs of one side after its first in the limit, which is `memory` above what it holds when it is
// ready; nothing when it could not run.
std::vector<Epoch> run_limited(const std::vector<std::string>& words, const fs::path& folder,
                               const BlockDevice& disk, double rate, uint64_t memory, int epochs) {
  const auto limits = must(Limits::apply({.memory_mb = 1e6, .read_mb_s = rate, .device = disk}));
  must(drop_from_page_cache(folder));
  Side side(words);
  if (!side.line()) return {};
  must(limits->set_memory(must(limits->own_memory()) + kSlack + memory));
  must(drop_from_page_cache(folder));
  side.go();
  std::vector<Epoch> seen;
  for (int epoch = 0; epoch < epochs; ++epoch) {
    const auto line = side.line();
    Epoch one;
    if (!line || std::sscanf(line->c_str(), "%lf %lf", &one.seconds, &one.read_bytes) != 2)
      die({Code::unavailable, "a side ended early: " + words.front(),
           "was it killed for want of memory? take more --images"});
    if (epoch > 0) seen.push_back(one);
  }
  return seen;
}

uint64_t bytes_of(const Dataset& set) {
  uint64_t bytes = 0;
  for (const fs::path& file : set.files()) bytes += fs::file_size(file);
  return bytes;
}

struct Options {
  int rounds = 2, epochs = 4;
  int64_t images = 1000;
  double rate = 10;
};

int run(const Options& options, const std::string& program) {
  const TempFolder folder;
  must(make_dataset("images", options.images, folder.path()));
  const uint64_t set = bytes_of(*must(open_dataset(folder.path(), Split::train)));
  const BlockDevice disk = must(disk_of(folder.path()));
  const char* const named = std::getenv("FLYBALL_PYTHON");
  const std::vector<std::string> peer = {
      named ? named : "/usr/bin/python3",
      std::string(FLYBALL_SOURCE_DIR) + "/bench/peers/pytorch_epochs.py",
      folder.path().string(),
      std::to_string(kWorkers),
      std::to_string(kBatch),
      std::to_string(kPrefetch),
      std::to_string(options.epochs),
      std::to_string(kSize)};
  std::map<std::string, std::vector<double>> seen;
  Json figures;
  figures["set_mb"] = static_cast<double>(set) * 1e-6;
  for (int round = 0; round < options.rounds; ++round)
    for (const int share : {50, 75}) {
      const uint64_t memory = set * static_cast<uint64_t>(share) / 100;
      const auto note = [&](const char* who, const std::vector<Epoch>& epochs) {
        for (const Epoch& epoch : epochs) {
          seen[fmt::format("{}_epoch_s_{}", who, share)].push_back(epoch.seconds);
          seen[fmt::format("{}_read_pct_{}", who, share)].push_back(100 * epoch.read_bytes /
                                                                    static_cast<double>(set));
          fmt::print(stderr, "round {} {} % {}: {:.2f} s, {:.1f} MB\n", round + 1, share, who,
                     epoch.seconds, epoch.read_bytes * 1e-6);
        }
      };
      note("ours", run_limited({program, "--side", folder.path().string(),
                                std::to_string(options.epochs), std::to_string(memory)},
                               folder.path(), disk, options.rate, 0, options.epochs));
      note("pytorch", run_limited(peer, folder.path(), disk, options.rate, memory, options.epochs));
    }
  for (const int share : {50, 75}) {
    const double c = share / 100.0;
    for (const char* who : {"ours", "pytorch"})
      for (const char* what : {"epoch_s", "read_pct"}) {
        const std::string name = fmt::format("{}_{}_{}", who, what, share);
        if (!seen[name].empty()) figures[name] = median(seen[name]);
      }
    const std::string ours = fmt::format("ours_epoch_s_{}", share);
    const std::string theirs = fmt::format("pytorch_epoch_s_{}", share);
    if (figures.contains(ours) && figures.contains(theirs))
      figures[fmt::format("ratio_{}", share)] =
          figures[theirs].get<double>() / figures[ours].get<double>();
    // Where the peer's page cache hits c + (1 − c)·ln(1 − c) and time is reading alone.
    figures[fmt::format("formula_{}", share)] = (1 - c - (1 - c) * std::log(1 - c)) / (1 - c);
  }
  fmt::print("{}\n", Json{{"benchmark", "cache"}, {"figures", figures}}.dump());
  return 0;
}

}  // namespace
}  // namespace flyball

int main(int argc, char** argv) {
  if (argc == 5 && std::string(argv[1]) == "--side")
    return flyball::run_side(argv[2], std::atoi(argv[3]), std::strtoull(argv[4], nullptr, 10));
  flyball::Options options;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--rounds") options.rounds = std::max(1, std::atoi(argv[i + 1]));
    if (option == "--images") options.images = std::max(64, std::atoi(argv[i + 1]));
    if (option == "--rate") options.rate = std::max(0.1, std::atof(argv[i + 1]));
    if (option == "--epochs") options.epochs = std::max(2, std::atoi(argv[i + 1]));
  }
  return flyball::run(options, std::filesystem::read_symlink("/proc/self/exe").string());
}
