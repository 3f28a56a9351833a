// Images/s of the loader against PyTorch's DataLoader with Pillow, and against bare decoding. 2,000
// JPEGs of 500 × 375 in a warm page cache, random resized crop to 224, flip, normalise, batch 16,
// prefetch 2. All take turns, so that they see the same machine; ratios are medians over rounds.
// usage: loader_bench [--rounds N] [--images N] [--data FOLDER]
//
// Peer: PyTorch | ${FLYBALL_PYTHON:-/usr/bin/python3} -c "import torch, torchvision, PIL"
#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/os/temp_folder.h"
#include "base/parallel.h"
#include "base/statistics.h"
#include "data/formats/open.h"
#include "data/loader/loader.h"
#include "data/makers/make.h"
#include "data/pictures/picture_collate.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;
constexpr int64_t kBatch = 16;
constexpr int kPrefetch = 2;

[[noreturn]] void die(const Error& error) {
  fmt::print(stderr, "loader_bench: {}. {}\n", error.message, error.hint);
  std::exit(2);
}

template <class T>
T must(Result<T> result) {
  if (!result.ok()) die(result.error());
  return *std::move(result);
}

// Images/s of one epoch; the clock starts when the first minibatch has come, as in the peer.
double run_ours(const DatasetPtr& set, const CollatePtr& collate, int workers, int round) {
  const auto loader = must(Loader::create(
      set, collate,
      {.batch_size = kBatch, .workers = workers, .prefetch = kPrefetch, .drop_last = true}));
  loader->start_epoch(round);
  (void)must(loader->next());
  const Stopwatch watch;
  int64_t images = 0;
  while (const auto batch = must(loader->next())) images += batch->view.count();
  return static_cast<double>(images) / watch.seconds();
}

// The same pictures and boxes from memory, decoded and resampled and nothing else.
double run_bare(const std::vector<RawSample>& samples, const TransformOptions& options,
                size_t threads, int round) {
  const size_t size = static_cast<size_t>(options.size);
  std::atomic<size_t> next{0};
  const Stopwatch watch;
  parallel_for(
      threads,
      [&](size_t) {
        Workspace work;
        std::vector<float> out(3 * size * size);
        for (size_t i = next++; i < samples.size(); i = next++) {
          Random random(mix_seed(static_cast<uint64_t>(round), i));
          const JpegInfo info = must(work.reader.open(samples[i].bytes));
          const Box box = random_box(info.width, info.height, options, random);
          const Pixels pixels = must(work.reader.read(box));
          work.horizontal.make(box.width, options.size, 0, options.size);
          work.vertical.make(box.height, options.size, 0, options.size);
          work.resampler.run(pixels.data, pixels.stride, work.horizontal, work.vertical,
                             {out.data()});
        }
      },
      threads);
  return static_cast<double>(samples.size()) / watch.seconds();
}

// Images/s of PyTorch's, or 0 when it is not there.
double run_peer(const fs::path& folder, int workers) {
  const char* python = std::getenv("FLYBALL_PYTHON");
  const std::string command = fmt::format("{} {}/bench/peers/pytorch_loader.py '{}' {} {} {}",
                                          python ? python : "/usr/bin/python3", FLYBALL_SOURCE_DIR,
                                          folder.string(), workers, kBatch, kPrefetch);
  std::FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return 0;
  double rate = 0;
  if (std::fscanf(pipe, "%lf", &rate) != 1) rate = 0;
  ::pclose(pipe);
  return rate;
}

// A folder of pictures: the user's, or a fresh one that goes away at the end.
class Pictures {
 public:
  Pictures(fs::path given, int64_t count) : folder_(std::move(given)) {
    if (!folder_.empty()) return;
    folder_ = own_.emplace().path();
    const Status made = make_dataset("images", count, folder_);
    if (!made.ok()) die(made.error());
  }
  const fs::path& folder() const { return folder_; }

 private:
  fs::path folder_;
  std::optional<TempFolder> own_;
};

int run(int rounds, int64_t count, const fs::path& data) {
  const Pictures pictures(data, count);
  const DatasetPtr set = must(open_dataset(pictures.folder(), Split::train));
  const TransformOptions options = default_transform(set->kind(), true);
  const CollatePtr collate = make_picture_collate(must(Transform::create(*set, options)));
  std::vector<RawSample> samples(static_cast<size_t>(set->size()));
  for (size_t i = 0; i < samples.size(); ++i) {
    const Status fetched = set->fetch(static_cast<int64_t>(i), samples[i]);
    if (!fetched.ok()) die(fetched.error());
  }
  std::map<std::string, std::vector<double>> seen;
  for (int round = 0; round < rounds; ++round)
    for (const int workers : {0, 1, 2}) {
      const double ours = run_ours(set, collate, workers, round);
      const double bare =
          run_bare(samples, options, static_cast<size_t>(std::max(1, workers)), round);
      const double peer = run_peer(pictures.folder(), workers);
      const double again = run_ours(set, collate, workers, round);
      const std::string suffix = fmt::format("_w{}", workers);
      const double rate = (ours + again) / 2;
      seen["images_per_s" + suffix].push_back(rate);
      seen["bare_images_per_s" + suffix].push_back(bare);
      seen["of_bare_decode" + suffix].push_back(rate / bare);
      fmt::print(stderr, "round {} workers {}: {:.0f} images/s, bare {:.0f}", round + 1, workers,
                 rate, bare);
      if (peer > 0) {
        seen["pytorch_images_per_s" + suffix].push_back(peer);
        seen["ratio" + suffix].push_back(rate / peer);
        fmt::print(stderr, ", PyTorch {:.0f}: {:.2f} times", peer, rate / peer);
      }
      fmt::print(stderr, "\n");
    }
  Json figures;
  double of_bare = 1e9;
  for (const char* stem :
       {"ratio", "images_per_s", "pytorch_images_per_s", "bare_images_per_s", "of_bare_decode"})
    for (const int workers : {0, 1, 2}) {
      const std::string name = fmt::format("{}_w{}", stem, workers);
      if (seen[name].empty()) continue;
      figures[name] = median(seen[name]);
      if (stem == std::string("of_bare_decode")) of_bare = std::min(of_bare, median(seen[name]));
    }
  figures["of_bare_decode"] = of_bare;  // the worst of the three
  fmt::print("{}\n", Json{{"benchmark", "loader"}, {"figures", figures}}.dump());
  return 0;
}

}  // namespace
}  // namespace flyball

int main(int argc, char** argv) {
  int rounds = 3;
  int64_t images = 2000;
  std::filesystem::path data;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string option = argv[i];
    if (option == "--rounds") rounds = std::max(1, std::atoi(argv[i + 1]));
    if (option == "--images") images = std::max(64, std::atoi(argv[i + 1]));
    if (option == "--data") data = argv[i + 1];
  }
  return flyball::run(rounds, images, data);
}
