// An hour of `flyball serve` under load with bad requests mixed in: truncated, NaN, wrong names,
// types and shapes, huge, slow, abandoned, endless, framed in two ways, none at all, and crowds of
// connections that ask for nothing. Memory must not grow, nothing may crash,
// every good request must be answered or refused, every bad one be told so, and the bookkeeping of
// both sides must agree; else it ends with 1. usage: soak_bench [--minutes N]
//
// LeNet-5 is served on loopback while another one trains in the gaps and is checkpointed. Memory is
// the resident set after a tenth of the time and at the end; it may grow by 5 %, at least 16 MiB.
#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>
#include <zlib.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "base/clock.h"
#include "base/files.h"
#include "base/json.h"
#include "base/os/temp_folder.h"
#include "base/random.h"
#include "base/text.h"
#include "data/makers/digits.h"
#include "server/http_client_testing.h"

namespace flyball {
namespace {

constexpr double allowed_growth = 0.05, allowed_growth_mib = 16;
constexpr int good_clients = 6, bad_clients = 4;
constexpr const char* infer_path = "POST /v2/models/lenet5/infer";

[[noreturn]] void give_up(const std::string& message) {
  fmt::print(stderr, "soak_bench: {}\n", message);
  std::exit(2);
}

void pause_ms(double ms) {
  sleep_until_ns(monotonic_ns() + static_cast<int64_t>(ms * 1e6));
}

/// The served program, from its start to what it prints at its end.
class Program {
 public:
  explicit Program(const TempFolder& folder) : out_(folder / "out"), err_(folder / "err") {
    const auto digits = folder / "digits";
    if (!make_digits(digits, {.train = 600, .test = 100}).ok()) give_up("cannot draw digits");
    std::vector<std::string> words = {FLYBALL_BIN_DIR "/flyball",
                                      "serve",
                                      "--infer",
                                      "lenet5",
                                      "--train",
                                      "lenet5",
                                      "--data",
                                      digits.string(),
                                      "--latency",
                                      "500ms",
                                      "--listen",
                                      "127.0.0.1:0",
                                      "--checkpoint",
                                      (folder / "kept").string(),
                                      "--force",
                                      "--json",
                                      "-q"};
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    child_ = fork();
    if (child_ == 0) {
      setenv("FLYBALL_STATE", (folder / "state").c_str(), 1);
      dup2(open(out_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDOUT_FILENO);
      dup2(open(err_.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), STDERR_FILENO);
      execv(argv[0], argv.data());
      _exit(127);
    }
    wait_until_ready();
  }
  ~Program() {
    if (child_ > 0) {
      kill(child_, SIGKILL);
      waitpid(child_, nullptr, 0);
    }
  }
  Program(const Program&) = delete;
  Program& operator=(const Program&) = delete;

  uint16_t port() const { return port_; }
  bool runs() {
    if (child_ > 0 && waitpid(child_, &status_, WNOHANG) == child_) child_ = 0;
    return child_ > 0;
  }
  /// Resident set, MiB; 0 once it is gone.
  double resident_mib() const {
    const auto text = read_file(fmt::format("/proc/{}/status", child_));
    const size_t at = text.ok() ? text->find("VmRSS:") : std::string::npos;
    return at == std::string::npos ? 0 : std::strtod(text->c_str() + at + 6, nullptr) / 1024;
  }
  /// SIGTERM; what it printed, or nothing where it did not end with 0.
  std::optional<Json> stop() {
    if (runs()) {
      kill(child_, SIGTERM);
      waitpid(child_, &status_, 0);
      child_ = 0;
    }
    const auto text = read_file(out_);
    Json json = Json::parse(text.ok() ? *text : "", nullptr, false);
    if (!WIFEXITED(status_) || WEXITSTATUS(status_) != 0 || json.is_discarded()) return {};
    return json;
  }
  std::string complaint() const { return read_file(err_).ok() ? *read_file(err_) : ""; }

 private:
  void wait_until_ready() {
    const std::string before = "listening on http://127.0.0.1:";
    for (int i = 0; i < 1200; ++i) {
      if (!runs()) give_up("flyball serve ended early: " + complaint());
      const std::string said = complaint();
      const size_t at = said.find(before);
      if (at != std::string::npos && said.find('\n', at) != std::string::npos) {
        port_ = static_cast<uint16_t>(std::strtol(said.c_str() + at + before.size(), nullptr, 10));
        if (http_exchange(port_, request_text("GET /v2/health/ready")).starts_with("HTTP/1.1 200"))
          return;
      }
      pause_ms(50);
    }
    give_up("flyball serve was not ready within a minute");
  }

  std::filesystem::path out_, err_;
  pid_t child_ = 0;
  int status_ = 0;
  uint16_t port_ = 0;
};

/// What all clients saw. Thread-safe.
class Tally {
 public:
  void count(const std::string& what) {
    const std::lock_guard lock(mutex_);
    ++counts_[what];
  }
  void wrong(const std::string& what, const std::string& answer) {
    const std::lock_guard lock(mutex_);
    if (wrong_++ < 20)
      fmt::print(stderr, "{}: unexpected answer: {}\n", what,
                 answer.empty() ? "none" : answer.substr(0, answer.find("\r\n")));
  }
  size_t of(const std::string& what) const {
    const std::lock_guard lock(mutex_);
    const auto found = counts_.find(what);
    return found == counts_.end() ? 0 : found->second;
  }
  std::map<std::string, size_t> all() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }
  size_t wrong() const {
    const std::lock_guard lock(mutex_);
    return wrong_;
  }

 private:
  mutable std::mutex mutex_;
  std::map<std::string, size_t> counts_;
  size_t wrong_ = 0;
};

Json image_input(int64_t samples) {
  return {{"name", "image"}, {"shape", {samples, 1, 28, 28}}, {"datatype", "FP32"}};
}

std::string json_body(Random& random, int64_t samples) {
  std::vector<float> pixels(static_cast<size_t>(samples) * 28 * 28);
  for (float& pixel : pixels) pixel = static_cast<float>(random.below(256)) / 256;
  Json input = image_input(samples);
  input["data"] = pixels;
  return Json{{"inputs", {input}}}.dump();
}

/// A request whose numbers follow in binary, and its header.
std::pair<std::string, std::string> binary_body(Random& random, int64_t samples) {
  const size_t bytes = static_cast<size_t>(samples) * 28 * 28 * sizeof(float);
  Json input = image_input(samples);
  input["parameters"] = {{"binary_data_size", bytes}};
  std::string body = Json{{"inputs", {input}}}.dump();
  const std::string header = fmt::format("Inference-Header-Content-Length: {}\r\n", body.size());
  std::string numbers(bytes, 0);
  for (size_t i = 0; i < bytes; i += sizeof(float))
    numbers[i + 3] = random.below(2) == 0 ? 0 : 0x3f;  // 0 and 0.5, all finite
  return {body + numbers, header};
}

/// A good request is answered, or refused with a time to retry.
void ask_well(uint16_t port, Random& random, Tally& tally) {
  const auto samples = static_cast<int64_t>(1 + random.below(4));
  std::string body, header;
  if (random.below(2) == 0)
    body = json_body(random, samples);
  else
    std::tie(body, header) = binary_body(random, samples);
  const std::string answer = http_exchange(port, request_text(infer_path, body, header));
  if (answer.starts_with("HTTP/1.1 200"))
    tally.count("good_answered");
  else if (answer.starts_with("HTTP/1.1 503") && answer.find("Retry-After: ") != std::string::npos)
    tally.count("good_refused");
  else
    tally.wrong("a good request", answer);
}

std::string gzip(const std::string& text) {
  std::string packed(compressBound(text.size()) + 64, 0);
  z_stream stream{};
  deflateInit2(&stream, 9, Z_DEFLATED, 31, 8, Z_DEFAULT_STRATEGY);
  stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(text.data()));
  stream.avail_in = static_cast<uInt>(text.size());
  stream.next_out = reinterpret_cast<Bytef*>(packed.data());
  stream.avail_out = static_cast<uInt>(packed.size());
  deflate(&stream, Z_FINISH);
  packed.resize(stream.total_out);
  deflateEnd(&stream);
  return packed;
}

/// A request that must be answered with this status.
struct BadRequest {
  std::string name, text;
  int status;
};

std::string replaced(std::string text, const std::string& what, const std::string& by) {
  const size_t at = text.find(what);
  return at == std::string::npos ? text : text.replace(at, what.size(), by);
}

std::vector<BadRequest> bad_requests() {
  Random random(3);
  const std::string good = json_body(random, 1), from = "\"data\":[";
  const size_t data = good.find(from) + from.size();
  const auto post = [](const std::string& body, const std::string& headers = "") {
    return request_text(infer_path, body, headers);
  };
  const auto [binary, header] = binary_body(random, 1);
  const std::string a_number = good.substr(data, good.find(',', data) - data);
  return {
      {"cut_json", post(good.substr(0, good.size() / 2)), 400},
      {"cut_binary", post(binary.substr(0, binary.size() - 5), header), 400},
      {"nan_json", post(good.substr(0, data) + "NaN" + good.substr(data + a_number.size())), 400},
      {"nan_binary", post(binary.substr(0, binary.size() - 4) + "\xff\xff\xff\x7f", header), 400},
      {"wrong_name", post(replaced(good, "\"image\"", "\"picture\"")), 400},
      {"wrong_type", post(replaced(good, "FP32", "INT64")), 400},
      {"wrong_shape", post(replaced(good, "[1,1,28,28]", "[1,1,28,29]")), 400},
      {"huge_shape", post(replaced(good, "[1,1,28,28]", "[1,1,2800000000,2800000000]")), 400},
      {"too_many_samples", post(json_body(random, 200)), 400},
      {"deep_json", post(std::string(100'000, '[')), 400},
      {"huge_garbage", post(std::string(4 << 20, 'x')), 400},
      {"over_the_limit", request_text(infer_path, "", "Content-Length: 99999999999\r\n"), 413},
      {"zip_bomb", post(gzip(std::string(80 << 20, ' ')), "Content-Encoding: gzip\r\n"), 400},
      {"no_zip", post(good, "Content-Encoding: gzip\r\n"), 400},
      {"long_header", request_text("GET /v2", "", "X: " + std::string(20'000, 'a') + "\r\n"), 431},
      {"no_http", "\x16\x03\x01\x02hello\r\n\r\n", 400},
      {"wrong_model", request_text("POST /v2/models/resnet18/infer", good), 404},
      {"wrong_path", request_text("GET /v3"), 404},
      {"wrong_method", request_text("DELETE /v2/models/lenet5"), 405},
      {"other_origin", request_text("GET /v2", "", "Origin: http://evil.example\r\n"), 403},
      {"other_host", "GET /v2 HTTP/1.1\r\nHost: 127.evil.example\r\n\r\n", 403},
      {"two_hosts", request_text("GET /v2", "", "Host: evil.example\r\n"), 400},
      {"two_framings", post(good, "Transfer-Encoding: chunked\r\n"), 400},
      {"two_codings", request_text(infer_path, "", "Transfer-Encoding: chunked, identity\r\n"),
       400},
      {"folded_line", request_text("GET /v2", "", "X: a\r\n b\r\n"), 400},
      {"endless_extension",
       request_text(infer_path, "", "Transfer-Encoding: chunked\r\n") + "1;" +
           std::string(4 << 20, 'x'),
       400},
      {"endless_trailer",
       request_text(infer_path, "", "Transfer-Encoding: chunked\r\n") +
           "0\r\nX: " + std::string(4 << 20, 'x'),
       431},
  };
}

/// Hangs up in the middle, or does not wait for the answer.
void leave_early(uint16_t port, Random& random, Tally& tally) {
  const std::string text = request_text(infer_path, json_body(random, 1));
  const HttpTestClient client(port);
  if (random.below(2) == 0) {
    client.say(text.substr(0, random.below(text.size() - 1)));
    tally.count("cut_off");
  } else {
    client.say(text);
    tally.count("abandoned");
  }
}

/// One byte after the other, for some seconds, and gone.
void dawdle(uint16_t port, Random& random, Tally& tally, const std::atomic<bool>& stop) {
  const std::string text = request_text(infer_path, json_body(random, 1));
  const HttpTestClient client(port);
  const size_t from = random.below(2) == 0 ? 0 : text.find("\r\n\r\n") + 4;
  client.say(text.substr(0, from));
  for (size_t i = 0; i < 30 && !stop; ++i) {
    client.say(text.substr(from + i, 1));
    pause_ms(100);
  }
  tally.count("slow");
}

/// Connections that ask for nothing, and listeners that do not read.
void crowd(uint16_t port, Tally& tally) {
  std::vector<std::unique_ptr<HttpTestClient>> idle;
  for (int i = 0; i < 50; ++i) {
    idle.push_back(std::make_unique<HttpTestClient>(port));
    if (i % 2 == 0) idle.back()->say("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  }
  pause_ms(1000);
  tally.count("crowd");
}

void ask_badly(uint16_t port, Random& random, Tally& tally, const std::atomic<bool>& stop) {
  static const std::vector<BadRequest> all = bad_requests();
  const size_t which = random.below(all.size() + 5);
  if (which == all.size()) return dawdle(port, random, tally, stop);
  if (which == all.size() + 1) return crowd(port, tally);
  if (which > all.size()) return leave_early(port, random, tally);
  const BadRequest& bad = all[which];
  const std::string answer = http_exchange(port, bad.text);
  // Who is refused before all is said may have lost the answer with the connection.
  const bool refused_early = bad.status == 413 || bad.status == 431 || bad.status == 403;
  if (answer.starts_with(fmt::format("HTTP/1.1 {}", bad.status)) ||
      (refused_early && answer.empty()))
    tally.count(bad.name);
  else
    tally.wrong(bad.name, answer);
}

/// What a scraper and a reader of the page do.
void look(uint16_t port, Tally& tally) {
  if (http_exchange(port, request_text("GET /metrics")).starts_with("HTTP/1.1 200"))
    tally.count("scraped");
  HttpTestClient listener(port);
  listener.say("GET /events HTTP/1.1\r\nHost: localhost\r\n\r\n");
  if (listener.hear("data: ").find("data: ") != std::string::npos) tally.count("listened");
}

struct Memory {
  double begin_mib = 0, end_mib = 0, most_mib = 0;
  double allowed_mib() const { return std::max(allowed_growth_mib, allowed_growth * begin_mib); }
};

Memory load(Program& program, double seconds, Tally& tally) {
  std::atomic<bool> stop{false};
  std::vector<std::thread> clients;
  for (int c = 0; c < good_clients + bad_clients; ++c)
    clients.emplace_back([&, c] {
      Random random(static_cast<uint64_t>(c + 1));
      while (!stop) {
        if (c < good_clients)
          ask_well(program.port(), random, tally);
        else
          ask_badly(program.port(), random, tally, stop);
        pause_ms(20 * random.exponential());
      }
    });
  const Stopwatch watch;
  Memory memory;
  int tenth = 1;
  while (watch.seconds() < seconds && program.runs()) {
    look(program.port(), tally);
    const double now_mib = program.resident_mib();
    if (watch.seconds() >= seconds / 10 * tenth) {
      fmt::print(stderr, "{:5.0f} s: resident {:.1f} MiB\n", watch.seconds(), now_mib);
      if (++tenth == 2) memory.begin_mib = now_mib;
    }
    memory.end_mib = now_mib;
    memory.most_mib = std::max(memory.most_mib, now_mib);
    pause_ms(1000);
  }
  stop = true;
  for (std::thread& client : clients) client.join();
  return memory;
}

/// How many promises were broken; each is said.
class Promises {
 public:
  void hold(bool kept, const std::string& what) {
    if (kept) return;
    ++broken_;
    fmt::print(stderr, "BROKEN: {}\n", what);
  }
  size_t broken() const { return broken_; }

 private:
  size_t broken_ = 0;
};

int run(double minutes) {
  const TempFolder folder;
  Program program(folder);
  Tally tally;
  const Memory memory = load(program, 60 * minutes, tally);
  Promises promises;
  promises.hold(program.runs(), "the program ended by itself: " + program.complaint());
  const auto result = program.stop();
  promises.hold(result.has_value(), "SIGTERM did not end it with 0 and a result");
  promises.hold(memory.end_mib - memory.begin_mib <= memory.allowed_mib(),
                fmt::format("memory grew by {:.1f} MiB", memory.end_mib - memory.begin_mib));
  promises.hold(tally.wrong() == 0, fmt::format("{} unexpected answers", tally.wrong()));
  Json figures = {{"minutes", minutes}};
  if (result) {
    const auto& requests = (*result)["services"][0]["requests"];
    const size_t arrived = requests["arrived"], answered = requests["answered"],
                 refused = requests["refused"], failed = requests["failed"];
    promises.hold(arrived == answered + refused + failed,
                  "arrived is not answered + refused + failed");
    promises.hold(failed == 0, fmt::format("{} sound requests failed", failed));
    const size_t heard = tally.of("good_answered") + tally.of("good_refused");
    promises.hold(arrived >= heard && arrived <= heard + tally.of("abandoned"),
                  fmt::format("{} arrived, {} were heard of and {} abandoned", arrived, heard,
                              tally.of("abandoned")));
    promises.hold(answered >= tally.of("good_answered"), "more answers were heard than given");
    for (const char* name : {"arrived", "answered", "late", "refused", "failed"})
      figures[name] = requests[name];
    figures["p99_ms"] = (*result)["services"][0]["latency_ms"]["p99"];
    figures["training_minibatches"] = (*result)["training"][0]["minibatches"];
  }
  for (const auto& [name, count] : tally.all()) figures["clients_" + name] = count;
  figures["resident_begin_mib"] = memory.begin_mib;
  figures["resident_end_mib"] = memory.end_mib;
  figures["resident_most_mib"] = memory.most_mib;
  figures["resident_growth_mib"] = memory.end_mib - memory.begin_mib;
  figures["resident_growth_allowed_mib"] = memory.allowed_mib();
  figures["broken_promises"] = promises.broken();
  fmt::print("{}\n", Json{{"benchmark", "soak"}, {"figures", figures}}.dump());
  return promises.broken() == 0 ? 0 : 1;
}

}  // namespace
}  // namespace flyball

int main(int argc, char** argv) {
  double minutes = 60;
  if (argc == 3 && std::string(argv[1]) == "--minutes") minutes = std::atof(argv[2]);
  if ((argc != 1 && argc != 3) || !(minutes > 0)) {
    fmt::print(stderr, "usage: soak_bench [--minutes N]\n");
    return 2;
  }
  return flyball::run(minutes);
}
