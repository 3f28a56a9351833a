// Serving with training in the gaps as `flyball serve` does it, against the same with batches at
// the latest safe time, and against serving and training that share the cores: in two processes,
// and in two threads of one process. Blocks of all of them and of training alone take turns, so
// that they see the same machine. Requests come over HTTP from a process of its own, whose clock
// tells how long answers took from when they were due. Goal: of at least 10,000 Poisson requests at
// most 0.1 % late or refused, and training at least 95 % of the time not served in divided by a
// minibatch's time alone; a decision at most 50 µs, decisions at most 1 % of the time.
//   usage: live_bench [--seconds N] [--infer W] [--train W] [--rate HZ] [--latency-ms N]
//                     [--batch-size N] [--train-batch-size N] [--device D]
// `--seconds`: of serving with training in the gaps, in blocks of 30 s at most; 180 unless given.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <numeric>
#include <optional>
#include <sstream>
#include <thread>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "base/os/temp_folder.h"
#include "base/statistics.h"
#include "cli/board.h"
#include "cli/serving/serving.h"
#include "load/load_run.h"
#include "load/load_summary.h"
#include "load/prepare.h"
#include "load/server_command.h"
#include "schedule/live/network_jobs.h"
#include "server/http_client_testing.h"

namespace flyball {
namespace {

constexpr double longest_block_s = 30, alone_s = 10;
constexpr int warm_up_steps = 5;  // of a training before its minibatches count
// Of a block of serving: until it is ready and its first requests were answered, which do not
// count, and what is left at the end, so that none finds the server gone; of every kind alike.
constexpr double load_warm_up_s = 2, load_rest_s = 1.5;

struct Asked {
  double seconds = 180, rate_hz = 60, latency_ms = 1000;
  int64_t batch = 0, train_batch = 16;
  std::string infer = "lenet5", train = "mobilenet_v3", device = "host";
  std::string ends_to;  // a training alone, which writes there when each minibatch ended
  std::string load_to;  // a client alone, which writes there what came of its requests
  int port = 0;         // of its server
  uint64_t seed = 1;    // of its times

  std::vector<std::string> words() const {
    return {
        "--train", train, "--device", device, "--train-batch-size", std::to_string(train_batch)};
  }
};

[[noreturn]] void give_up(const Error& error) {
  fmt::print(stderr, "live_bench: {}\n", error.message);
  if (!error.hint.empty()) fmt::print(stderr, "HINT: {}\n", error.hint);
  std::exit(2);
}
template <class T>
T must(Result<T> result) {
  if (!result.ok()) give_up(result.error());
  return *std::move(result);
}

std::unique_ptr<TrainingRunner> make_training(const Asked& asked) {
  const auto board = must(cli::open_named_board(asked.device, "/"));
  NetworkTraining training;
  training.workload = asked.train;
  training.data = must(
      open_run_data(asked.train, must(cli::dataset_folder(asked.train, "", false)), {}, {}, true));
  training.device = cli::compute_place(board->info());
  training.batch_size = asked.train_batch;
  return std::move(must(make_network_training(training)).runner);
}

/// Trains until told to stop; returns when each minibatch ended, monotonic ns.
std::vector<int64_t> train_until(TrainingRunner& training, const std::function<bool()>& enough) {
  std::vector<int64_t> ends_ns;
  while (!enough()) {
    const Status stepped = training.step();
    if (!stepped.ok()) give_up(stepped.error());
    ends_ns.push_back(monotonic_ns());
  }
  return ends_ns;
}

/// Mean milliseconds of a training minibatch that has the machine for itself.
double alone_ms(TrainingRunner& training, double seconds) {
  train_until(training, [n = 0]() mutable { return n++ == 2; });
  const Stopwatch watch;
  const auto ends_ns = train_until(training, [&] { return watch.seconds() >= seconds; });
  return watch.milliseconds() / static_cast<double>(ends_ns.size());
}

/// This program again, as a process of its own with other words.
class OwnProcess {
 public:
  explicit OwnProcess(std::vector<std::string> words) {
    words.insert(words.begin(), "live_bench");
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    child_ = fork();
    if (child_ == 0) {
      execv("/proc/self/exe", argv.data());
      _exit(127);
    }
  }
  ~OwnProcess() { stop(); }
  OwnProcess(const OwnProcess&) = delete;
  OwnProcess& operator=(const OwnProcess&) = delete;

  bool ended() {
    if (child_ > 0 && waitpid(child_, nullptr, WNOHANG) == child_) child_ = 0;
    return child_ <= 0;
  }
  void wait() {
    if (child_ > 0) waitpid(child_, nullptr, 0);
    child_ = 0;
  }
  void stop() {
    if (child_ > 0) kill(child_, SIGKILL);
    wait();
  }

 private:
  pid_t child_ = 0;
};

/// What the client saw of a block, by its own clock: milliseconds from when a request was due.
struct Client {
  double due = 0, late = 0, failed = 0, p50_ms = 0, p99_ms = 0;
};

/// What one block of serving came to.
struct Block {
  ServedRun served;
  Client client = {};
  double trained = 0;   ///< minibatches
  double alone_ms = 0;  ///< a minibatch, before and after it

  double seconds() const { return served.result.seconds; }
  double serving_s() const { return served.result.services.front().busy_s; }
  /// Training against what the time that was not served in gives to it alone.
  double training_share() const { return trained * alone_ms * 1e-3 / (seconds() - serving_s()); }
  /// Against training without any service.
  double training_rate() const { return trained * alone_ms * 1e-3 / seconds(); }
};

cli::ServeOptions serve_options(const Asked& asked, double seconds, uint64_t seed) {
  cli::ServeOptions options;
  options.plan.infer = {asked.infer};
  options.plan.device = asked.device;
  options.plan.request.latencies_ms = {asked.latency_ms};
  options.plan.request.seed = seed;
  options.plan.measuring_options.force = true;  // two of this benchmark's own processes measure
  options.plan.quiet = true;
  options.asked.seconds = seconds;
  options.asked.batch = asked.batch;
  options.asked.train_batch = asked.train_batch;
  options.no_checkpoint = true;
  return options;
}

/// Serves while a process of its own asks.
Block served_to_client(const Asked& asked, cli::ServeOptions options) {
  const TempFolder folder;
  const std::string file = (folder / "client").string();
  const int port = must(free_port());
  options.asked.arrivals = {ArrivalSpec{}};
  options.http.listen = fmt::format("127.0.0.1:{}", port);
  OwnProcess client({"--load-to", file, "--port", std::to_string(port), "--infer", asked.infer,
                     "--seconds", fmt::format("{}", options.asked.seconds), "--rate",
                     fmt::format("{}", asked.rate_hz), "--latency-ms",
                     fmt::format("{}", asked.latency_ms), "--seed",
                     std::to_string(options.plan.request.seed)});
  Block block{must(cli::serve_networks(options))};
  client.wait();
  std::istringstream text(must(read_file(file)));
  Client& seen = block.client;
  if (!(text >> seen.due >> seen.late >> seen.failed >> seen.p50_ms >> seen.p99_ms))
    give_up({Code::internal, "the client ended early", ""});
  return block;
}

/// The client's process: asks as soon as the server is ready.
int load_alone(const Asked& asked) {
  const auto port = static_cast<uint16_t>(asked.port);
  const Stopwatch watch;
  while (!http_exchange(port, request_text("GET /v2/health/ready")).starts_with("HTTP/1.1 200")) {
    if (watch.seconds() > 60) give_up({Code::internal, "the server was not ready", ""});
    sleep_until_ns(monotonic_ns() + 20'000'000);
  }
  LoadOptions load;
  load.target =
      must(parse_target(fmt::format("http://127.0.0.1:{}/v2/models/{}", port, asked.infer), ""));
  load.request = must(prepare_load(load.target, {}, 10));
  load.arrivals = must(parse_arrivals(fmt::format("poisson:{}", asked.rate_hz)));
  load.seed = asked.seed;
  load.warm_up_s = load_warm_up_s - watch.seconds() > 0.5 ? load_warm_up_s - watch.seconds() : 0.5;
  load.duration_s = asked.seconds - load_warm_up_s - load_rest_s;
  const LoadSummary seen = summarise(must(run_load(load)), asked.latency_ms, load.connections);
  FILE* const file = std::fopen(asked.load_to.c_str(), "w");
  if (!file) give_up(file_error("write", asked.load_to, errno));
  fmt::print(file, "{} {} {} {} {}\n", seen.due, seen.late, seen.due - seen.answered,
             seen.latency_ms.p50.value, seen.latency_ms.p99.value);
  std::fclose(file);
  return 0;
}

// Checkpoints are kept as usual, those of a block in a folder of its own: each has its own seed.
Block in_turns(const Asked& asked, double seconds, uint64_t seed, const Preference& prefer) {
  const TempFolder folder;
  cli::ServeOptions options = serve_options(asked, seconds, seed);
  options.plan.train = {asked.train};
  options.plan.request.prefer = prefer;
  options.checkpoint = folder.path().string();
  options.no_checkpoint = false;
  Block block = served_to_client(asked, options);
  block.trained = static_cast<double>(block.served.result.trainings.front().minibatches);
  return block;
}

double ended_within(const std::vector<int64_t>& ends_ns, int64_t from_ns, int64_t until_ns) {
  return static_cast<double>(std::ranges::count_if(
      ends_ns, [&](int64_t end_ns) { return end_ns > from_ns && end_ns <= until_ns; }));
}

/// Serves alone while someone else trains; `ends` then tells when each of his minibatches ended.
Block beside(const Asked& asked, double seconds, uint64_t seed,
             const std::function<std::vector<int64_t>()>& ends) {
  Block block = served_to_client(asked, serve_options(asked, seconds, seed));
  const int64_t until_ns = monotonic_ns();
  const auto from_ns = until_ns - static_cast<int64_t>(block.seconds() * 1e9);
  block.trained = ended_within(ends(), from_ns, until_ns);
  return block;
}

Block two_threads(const Asked& asked, double seconds, uint64_t seed, TrainingRunner& training) {
  std::atomic<bool> stop{false};
  std::vector<int64_t> ends_ns;
  std::thread trainer([&] { ends_ns = train_until(training, [&] { return stop.load(); }); });
  return beside(asked, seconds, seed, [&] {
    stop = true;
    trainer.join();
    return ends_ns;
  });
}

/// A training in a process of its own.
class OtherProcess {
 public:
  explicit OtherProcess(const Asked& asked)
      : file_(folder_ / "ends"), process_(with_ends_to(asked.words())) {
    while (!std::filesystem::exists(file_)) {
      if (process_.ended())
        give_up({Code::internal, "the training in a process of its own ended early", ""});
      sleep_until_ns(monotonic_ns() + 50'000'000);
    }
  }

  std::vector<int64_t> ends_ns() {
    process_.stop();
    std::istringstream text(must(read_file(file_)));
    std::vector<int64_t> ends;
    for (int64_t end_ns = 0; text >> end_ns;) ends.push_back(end_ns);
    return ends;
  }

 private:
  std::vector<std::string> with_ends_to(std::vector<std::string> words) const {
    words.insert(words.end(), {"--ends-to", file_.string()});
    return words;
  }

  TempFolder folder_;
  std::filesystem::path file_;
  OwnProcess process_;
};

/// Its other side: the file is there once it is warm.
int train_alone(const Asked& asked) {
  const auto training = make_training(asked);
  train_until(*training, [n = 0]() mutable { return n++ == warm_up_steps; });
  FILE* const file = std::fopen(asked.ends_to.c_str(), "w");
  if (!file) give_up(file_error("write", asked.ends_to, errno));
  while (training->step().ok()) {
    fmt::print(file, "{}\n", monotonic_ns());
    std::fflush(file);
  }
  std::fclose(file);
  return 0;
}

Block two_processes(const Asked& asked, double seconds, uint64_t seed) {
  OtherProcess other(asked);
  return beside(asked, seconds, seed, [&] { return other.ends_ns(); });
}

/// All blocks of one kind together.
struct Kind {
  std::string name;
  std::vector<Block> blocks = {};

  double sum(const std::function<double(const Block&)>& of) const {
    return std::transform_reduce(blocks.begin(), blocks.end(), 0.0, std::plus<>(), of);
  }
  double requests(double Client::*which) const {
    return sum([&](const Block& block) { return block.client.*which; });
  }
  std::vector<double> each(const std::function<double(const Block&)>& of) const {
    std::vector<double> all;
    for (const Block& block : blocks) all.push_back(of(block));
    return all;
  }

  void tell(Json& figures) const {
    const double due = requests(&Client::due), late = requests(&Client::late),
                 failed = requests(&Client::failed);
    figures[name + "_requests"] = due;
    figures[name + "_late"] = late;
    figures[name + "_failed"] = failed;
    figures[name + "_late_or_failed_pct"] = 100 * (late + failed) / due;
    figures[name + "_p50_ms"] = median(each([](const Block& b) { return b.client.p50_ms; }));
    const auto p99_ms = each([](const Block& b) { return b.client.p99_ms; });
    figures[name + "_p99_ms"] = median(p99_ms);
    figures[name + "_p99_ms_worst_block"] = std::ranges::max(p99_ms);
    figures[name + "_p99_ms_by_the_server"] = median(each(
        [](const Block& b) { return b.served.result.services.front().latency.quantile_ms(0.99); }));
    figures[name + "_minibatches_per_s"] =
        sum([](const Block& b) { return b.trained; }) / sum(&Block::seconds);
    figures[name + "_of_training_alone_pct"] =
        100 * sum([](const Block& b) { return b.trained * b.alone_ms * 1e-3; }) /
        sum(&Block::seconds);
  }
};

void tell_goals(const Kind& turns, Json& figures) {
  std::vector<double> shares;
  for (const Block& block : turns.blocks) shares.push_back(100 * block.training_share());
  figures["training_of_time_not_serving_pct"] = 100 * turns.sum([](const Block& b) {
    return b.trained * b.alone_ms * 1e-3;
  }) / turns.sum([](const Block& b) { return b.seconds() - b.serving_s(); });
  figures["training_of_time_not_serving_pct_least_block"] = std::ranges::min(shares);
  figures["training_of_time_not_serving_pct_most_block"] = std::ranges::max(shares);
  const double decisions =
      turns.sum([](const Block& b) { return static_cast<double>(b.served.result.decisions); });
  const double deciding_s = turns.sum([](const Block& b) { return b.served.result.deciding_s; });
  double longest_s = 0;
  for (const Block& block : turns.blocks)
    longest_s = std::max(longest_s, block.served.result.longest_decision_s);
  figures["decision_us"] = 1e6 * deciding_s / decisions;
  figures["longest_decision_us"] = 1e6 * longest_s;
  figures["deciding_pct_of_time"] = 100 * deciding_s / turns.sum(&Block::seconds);
}

void say(const std::string& kind, const Block& block) {
  const Client& client = block.client;
  fmt::print(stderr,
             "{:<10} {:4.0f} s: {} requests, {} late, {} failed, p50 {:.3g}, p99 {:.3g} ms; "
             "{:.0f} minibatches, {:.1f} % of training alone, {:.1f} % of the time not serving\n",
             kind, block.seconds(), client.due, client.late, client.failed, client.p50_ms,
             client.p99_ms, block.trained, 100 * block.training_rate(),
             100 * block.training_share());
  if (!block.served.result.training_blocked.empty())
    fmt::print(stderr, "{}\n", block.served.result.training_blocked);
}

int run(const Asked& asked) {
  const auto rounds = static_cast<int>(std::ceil(asked.seconds / longest_block_s));
  const double block_s = asked.seconds / rounds;
  const double short_s = std::min(alone_s, block_s);
  const auto training = make_training(asked);
  train_until(*training, [n = 0]() mutable { return n++ == warm_up_steps; });
  Kind turns{"turns"}, latest{"latest"}, threads{"threads"}, processes{"processes"};
  std::vector<double> alones_ms = {alone_ms(*training, short_s)};
  // Between two blocks of training alone, whose mean they are held against.
  const auto add = [&](Kind& kind, Block block) {
    alones_ms.push_back(alone_ms(*training, short_s));
    block.alone_ms = (alones_ms.back() + alones_ms[alones_ms.size() - 2]) / 2;
    say(kind.name, block);
    kind.blocks.push_back(std::move(block));
  };
  for (int round = 0; round < rounds; ++round) {
    const auto seed = static_cast<uint64_t>(round + 1);
    add(turns, in_turns(asked, block_s, seed, {}));
    add(latest, in_turns(asked, block_s, seed, {.kind = Preference::Kind::training}));
    add(threads, two_threads(asked, short_s, seed, *training));
    add(processes, two_processes(asked, short_s, seed));
  }
  Json figures = {{"training_alone_ms", median(alones_ms)},
                  {"training_alone_ms_least", std::ranges::min(alones_ms)},
                  {"training_alone_ms_most", std::ranges::max(alones_ms)}};
  turns.tell(figures);
  tell_goals(turns, figures);
  latest.tell(figures);
  threads.tell(figures);
  processes.tell(figures);
  fmt::print("{}\n", Json{{"benchmark", "live"}, {"figures", figures}}.dump());
  return 0;
}

std::optional<Asked> read_words(int argc, char** argv) {
  Asked asked;
  for (int i = 1; i < argc; i += 2) {
    const std::string word = argv[i];
    if (i + 1 == argc) return {};
    const std::string value = argv[i + 1];
    const double number = std::strtod(value.c_str(), nullptr);
    if (word == "--seconds" && number > 0)
      asked.seconds = number;
    else if (word == "--rate" && number > 0)
      asked.rate_hz = number;
    else if (word == "--latency-ms" && number > 0)
      asked.latency_ms = number;
    else if (word == "--batch-size" && number > 0)
      asked.batch = static_cast<int64_t>(number);
    else if (word == "--train-batch-size" && number > 0)
      asked.train_batch = static_cast<int64_t>(number);
    else if (word == "--infer")
      asked.infer = value;
    else if (word == "--train")
      asked.train = value;
    else if (word == "--device")
      asked.device = value;
    else if (word == "--ends-to")
      asked.ends_to = value;
    else if (word == "--load-to")
      asked.load_to = value;
    else if (word == "--port" && number > 0)
      asked.port = static_cast<int>(number);
    else if (word == "--seed" && number > 0)
      asked.seed = static_cast<uint64_t>(number);
    else
      return {};
  }
  return asked;
}

}  // namespace
}  // namespace flyball

int main(int argc, char** argv) {
  const auto asked = flyball::read_words(argc, argv);
  if (!asked) {
    fmt::print(stderr,
               "usage: live_bench [--seconds N] [--infer W] [--train W] [--rate HZ] "
               "[--latency-ms N] [--batch-size N] [--train-batch-size N] [--device D]\n");
    return 2;
  }
  if (!asked->load_to.empty()) return flyball::load_alone(*asked);
  return asked->ends_to.empty() ? flyball::run(*asked) : flyball::train_alone(*asked);
}
