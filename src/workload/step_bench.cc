// A training step here against the same one in eager PyTorch, batch 16 (4 rows of text), fp32,
// equal threads and allocator settings. The two take turns, so that both see the same machine.
// usage: step_bench [NETWORK…] [--threads N]
//
// Peer: PyTorch | ${FLYBALL_PYTHON:-/usr/bin/python3} -c "import torch"
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/json.h"
#include "base/parallel.h"
#include "base/random.h"
#include "base/statistics.h"
#include "data/text/question_collate.h"
#include "data/text/text_dataset.h"
#include "workload/detection/detector_batch_testing.h"
#include "workload/stepper.h"
#include "workload/workload.h"

namespace flyball {
namespace {

// A row of text costs as much as many pictures.
int64_t batch_of(const Workload& workload) {
  return workload.dataset == "squad" ? 4 : 16;
}

// Of a step: wall time, and CPU time of all threads, which other programs disturb much less.
struct StepTime {
  double wall_ms = 0, cpu_ms = 0;
};

// The Python process, asked by line and answering by line.
class Peer {
 public:
  explicit Peer(int threads) {
    int to_peer[2], from_peer[2];
    if (pipe(to_peer) != 0 || pipe(from_peer) != 0) return;
    pid_ = fork();
    if (pid_ == 0) {
      dup2(to_peer[0], 0);
      dup2(from_peer[1], 1);
      for (int end : {to_peer[0], to_peer[1], from_peer[0], from_peer[1]}) close(end);
      const char* python = std::getenv("FLYBALL_PYTHON");
      if (!python) python = "/usr/bin/python3";
      execl(python, python, FLYBALL_SOURCE_DIR "/bench/peers/pytorch_step.py",
            std::to_string(threads).c_str(), nullptr);
      _exit(127);
    }
    close(to_peer[0]);
    close(from_peer[1]);
    ask_ = fdopen(to_peer[1], "w");
    answer_ = fdopen(from_peer[0], "r");
    version_ = read();
  }
  ~Peer() {
    if (ask_) fclose(ask_);
    if (answer_) fclose(answer_);
    if (pid_ > 0) waitpid(pid_, nullptr, 0);
  }
  Peer(const Peer&) = delete;
  Peer& operator=(const Peer&) = delete;

  const std::string& version() const { return version_; }  // "" when there is no PyTorch
  StepTime run(const Workload& workload, int steps) {
    fmt::print(ask_, "{} {} {}\n", workload.name, steps, batch_of(workload));
    fflush(ask_);
    StepTime time;
    if (std::sscanf(read().c_str(), "%lf %lf", &time.wall_ms, &time.cpu_ms) != 2) return {};
    return time;
  }

 private:
  std::string read() {
    char line[256] = "";
    if (!answer_ || !fgets(line, sizeof line, answer_)) return "";
    return std::string(line, std::string_view(line).find('\n'));
  }

  pid_t pid_ = -1;
  FILE *ask_ = nullptr, *answer_ = nullptr;
  std::string version_;
};

// A minibatch of numbers that a network takes, drawn once.
class Batch {
 public:
  Batch(const Stepper& stepper, int64_t samples) : samples_(samples) {
    const StepOptions& options = stepper.options();
    const int64_t tokens = options.shape[0];
    for (const auto* specs : {&stepper.inputs(), &stepper.targets()})
      for (const TensorSpec& spec : *specs) {
        TensorShape shape{samples};
        for (size_t d = 0; d < spec.shape.rank(); ++d)
          shape.append(spec.shape[d] < 0 ? options.shape[d] : spec.shape[d]);
        if (spec.dtype == DType::float32)
          add<float>(spec.name, shape,
                     [&](size_t) { return static_cast<float>(random_.normal()); });
        else
          add<int64_t>(spec.name, shape, whole_numbers(spec.name, tokens, options.classes));
        if (spec.name == window_tensor)
          windows_ = reinterpret_cast<int64_t*>(memory_.back().data());
      }
  }
  BatchView view() const { return {tensors_, samples_}; }
  /// Windows of text go on from step to step, so that their state is carried.
  void advance() {
    for (int64_t row = 0; windows_ && row < samples_; ++row) windows_[row] = (row << 32) + steps_;
    ++steps_;
  }

 private:
  // Types: a question of 16 tokens, then text. Nothing is padding.
  std::function<int64_t(size_t)> whole_numbers(const std::string& name, int64_t tokens,
                                               int64_t classes) {
    if (name == mask_tensor) return [](size_t) { return int64_t{1}; };
    if (name == types_tensor)
      return [tokens](size_t i) { return int64_t{static_cast<int64_t>(i) % tokens >= 16}; };
    const bool place = name == start_tensor || name == end_tensor;
    const auto below = static_cast<size_t>(place ? tokens : classes);
    return [this, below](size_t) { return static_cast<int64_t>(random_.below(below)); };
  }
  template <class T>
  void add(const std::string& name, const TensorShape& shape,
           const std::function<T(size_t)>& value) {
    auto& memory = memory_.emplace_back(static_cast<size_t>(shape.elements()) * sizeof(T));
    T* const numbers = reinterpret_cast<T*>(memory.data());
    for (size_t i = 0; i < static_cast<size_t>(shape.elements()); ++i) numbers[i] = value(i);
    tensors_.push_back({name, dtype_of<T>(), shape, memory.data()});
  }

  int64_t samples_, steps_ = 0;
  int64_t* windows_ = nullptr;  // of text: which window each row shows
  Random random_{1};
  std::list<std::vector<std::byte>> memory_;
  std::vector<TensorView> tensors_;
};

struct Ours {
  explicit Ours(const Workload& workload, int threads) {
    StepOptions options;
    options.threads = threads;
    options.batch_size = batch_of(workload);
    auto made = make_stepper(workload.name, options);
    if (!made.ok()) return;
    stepper = *std::move(made);
    if (workload.dataset == "coco")
      boxes.emplace(stepper->options().shape, stepper->options().classes, options.batch_size);
    else
      batch.emplace(*stepper, options.batch_size);
  }

  StepTime run(int steps) {
    std::vector<double> times;
    const double before = process_cpu_seconds();
    for (int i = 0; i < steps; ++i) {
      if (batch) batch->advance();
      const Stopwatch watch;
      if (!stepper->step(batch ? batch->view() : boxes->view()).ok()) return {};
      times.push_back(watch.milliseconds());
    }
    return {median(times), 1e3 * (process_cpu_seconds() - before) / steps};
  }

  std::unique_ptr<Stepper> stepper;
  std::optional<Batch> batch;
  std::optional<DetectorBatch> boxes;  // of a detector, instead
};

void compare(const Workload& workload, Peer& peer, int threads, Json& figures) {
  Ours ours(workload, threads);
  if (!ours.stepper) return;
  const bool has_peer = !peer.version().empty();
  const Stopwatch watch;
  ours.run(2);
  const double first = ours.run(1).cpu_ms;
  const int steps = std::clamp(static_cast<int>(300 / first), 1, 100);
  if (has_peer) peer.run(workload, 2 + steps);
  std::vector<double> here, there, ratios, cpu_ratios;
  while (here.size() < 7 || (here.size() < 25 && watch.seconds() < 30)) {
    const StepTime our = ours.run(steps);
    here.push_back(our.wall_ms);
    if (!has_peer) continue;
    const StepTime their = peer.run(workload, steps);
    there.push_back(their.wall_ms);
    ratios.push_back(their.wall_ms / our.wall_ms);
    cpu_ratios.push_back(their.cpu_ms / our.cpu_ms);
  }
  figures["ms_" + workload.name] = median(here);
  if (has_peer) {
    figures["pytorch_ms_" + workload.name] = median(there);
    figures["ratio_" + workload.name] = median(ratios);
    figures["cpu_ratio_" + workload.name] = median(cpu_ratios);
  }
  const Quartiles spread = quartiles(ratios);
  fmt::print(
      stderr,
      "{:<14} {:8.2f} ms   PyTorch {:8.2f} ms   ratio {:.3f} ({:.3f} to {:.3f}), of CPU time "
      "{:.3f}\n",
      workload.name, median(here), median(there), spread.median, spread.q1, spread.q3,
      median(cpu_ratios));
}

int run(int argc, char** argv) {
  int threads = static_cast<int>(usable_cores());
  std::vector<std::string> wanted;
  Json figures = Json::object();
  for (int i = 1; i < argc; ++i) {
    const std::string argument = argv[i];
    if (argument == "--threads" && i + 1 < argc)
      threads = std::atoi(argv[++i]);
    else
      wanted.push_back(argument);
  }
  keep_freed_memory();
  Peer peer(threads);
  if (peer.version().empty())
    fmt::print(stderr, "PyTorch is missing, no ratios: scripts/setup --bench\n");
  fmt::print(stderr, "fp32, {} threads, PyTorch {}\n", threads, peer.version());
  for (const Workload& workload : workloads()) {
    if (!wanted.empty() && std::ranges::count(wanted, workload.name) == 0) continue;
    compare(workload, peer, threads, figures);
  }
  fmt::print("{}\n", Json{{"benchmark", "step"}, {"figures", figures}}.dump());
  return 0;
}

}  // namespace
}  // namespace flyball

int main(int argc, char** argv) {
  return flyball::run(argc, argv);
}
