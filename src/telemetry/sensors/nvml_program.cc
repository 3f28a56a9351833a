#include "telemetry/sensors/nvml_program.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <vector>

#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"
#include "telemetry/sensors/firmware_tool.h"
#include "telemetry/sensors/nvml_entries.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

// A driver that is not kept loaded starts every GPU anew, which takes seconds for each.
constexpr int64_t start_patience_ns = 60'000'000'000, call_patience_ns = 10'000'000'000;
constexpr size_t longest_answer = 1 << 16;

/// A running flyball-nvml. Calls of several threads take turns.
class NvmlProcess {
 public:
  NvmlProcess(pid_t pid, int socket) : pid_(pid), socket_(socket) {}
  NvmlProcess(const NvmlProcess&) = delete;
  NvmlProcess& operator=(const NvmlProcess&) = delete;
  ~NvmlProcess() {
    if (socket_ >= 0) ::close(socket_);  // it ends with its input
    while (::waitpid(pid_, nullptr, 0) < 0 && errno == EINTR) {
    }
  }

  /// Its next line, without its end; empty where it has ended or says nothing in time.
  std::string read_line(int64_t patience_ns) {
    const int64_t deadline_ns = monotonic_ns() + patience_ns;
    while (socket_ >= 0) {
      if (const size_t end = buffer_.find('\n'); end != std::string::npos) {
        const std::string line = buffer_.substr(0, end);
        buffer_.erase(0, end + 1);
        return line;
      }
      if (!receive(deadline_ns) || buffer_.size() > longest_answer) give_up();
    }
    return "";
  }

  /// Its answer to a request.
  std::string ask(const std::string& request) {
    const std::lock_guard lock(mutex_);
    const std::string line = request + "\n";
    if (socket_ < 0) return "";
    if (::send(socket_, line.data(), line.size(), MSG_NOSIGNAL) !=
        static_cast<ssize_t>(line.size())) {
      give_up();
      return "";
    }
    return read_line(call_patience_ns);
  }

  /// What NVML calls an error, kept for good: callers hold on to it.
  const char* error_text(int code) {
    const std::string answer = ask(fmt::format("error {}", code));
    const std::lock_guard lock(mutex_);
    if (answer.empty()) return "flyball-nvml has ended or does not answer";
    return answer.starts_with("0 ")
               ? texts_.try_emplace(code, answer.substr(2)).first->second.c_str()
               : nullptr;
  }

 private:
  bool receive(int64_t deadline_ns) {
    std::array<char, 4096> part{};
    const int64_t left_ms = (deadline_ns - monotonic_ns()) / 1'000'000;
    pollfd readable{socket_, POLLIN, 0};
    const int ready = ::poll(&readable, 1, static_cast<int>(std::max<int64_t>(left_ms, 0)));
    if (ready < 0 && errno == EINTR) return true;
    if (ready <= 0) return false;
    const ssize_t size = ::recv(socket_, part.data(), part.size(), 0);
    if (size < 0 && errno == EINTR) return true;
    if (size > 0) buffer_.append(part.data(), static_cast<size_t>(size));
    return size > 0;
  }
  // A late answer would be taken for that of the next request.
  void give_up() {
    ::kill(pid_, SIGKILL);
    ::close(socket_);
    socket_ = -1;
  }

  pid_t pid_;
  int socket_;
  std::mutex mutex_;
  std::string buffer_;
  std::map<int, std::string> texts_;
};

using NvmlProcessPtr = std::shared_ptr<NvmlProcess>;

// A GPU's number stands for it: the pointer is never followed.
NvmlDevice handle_of(unsigned index) {
  return reinterpret_cast<NvmlDevice>(static_cast<uintptr_t>(index) + 1);
}
size_t index_of(NvmlDevice device) {
  return static_cast<size_t>(reinterpret_cast<uintptr_t>(device)) - 1;
}

struct NvmlAnswer {
  int code = nvml_unknown;
  std::string text{};
  std::vector<unsigned long long> numbers{};
};

NvmlAnswer parse_answer(const std::string& line, bool as_text) {
  const std::vector<std::string> words = split(line, ' ');
  const auto code = parse_integer(words.front());
  if (!code) return {};
  NvmlAnswer answer{.code = static_cast<int>(*code)};
  if (as_text) {
    if (words.size() > 1) answer.text = line.substr(words.front().size() + 1);
    return answer;
  }
  for (size_t i = 1; i < words.size(); ++i) {
    const auto number = parse_integer(words[i]);
    if (!number || *number < 0) return {};
    answer.numbers.push_back(static_cast<unsigned long long>(*number));
  }
  return answer;
}

int take_text(const NvmlAnswer& answer, char* text, unsigned size) {
  if (answer.code != nvml_success || size == 0) return answer.code;
  text[answer.text.copy(text, size - 1)] = '\0';
  return nvml_success;
}

template <class... Number>
int take_numbers(const NvmlAnswer& answer, Number&... numbers) {
  if (answer.code != nvml_success) return answer.code;
  if (answer.numbers.size() != sizeof...(numbers)) return nvml_unknown;
  size_t at = 0;
  ((numbers = static_cast<Number>(answer.numbers[at++])), ...);
  return nvml_success;
}

int take_list(const NvmlAnswer& answer, unsigned* count, unsigned* list) {
  if (answer.code != nvml_success) return answer.code;
  const size_t size = std::min<size_t>(answer.numbers.size(), *count);
  for (size_t i = 0; i < size; ++i) list[i] = static_cast<unsigned>(answer.numbers[i]);
  *count = static_cast<unsigned>(size);
  return nvml_success;
}

// As many of `of` numbers each as fit.
template <class Entry, class Take>
int take_entries(const NvmlAnswer& answer, size_t of, unsigned* count, Entry* list, Take take) {
  if (answer.code != nvml_success) return answer.code;
  if (answer.numbers.size() % of != 0) return nvml_unknown;
  const size_t size = std::min<size_t>(answer.numbers.size() / of, *count);
  for (size_t i = 0; i < size; ++i) list[i] = take(answer.numbers.data() + of * i);
  *count = static_cast<unsigned>(size);
  return nvml_success;
}

template <class... Word>
std::string nvml_request(const char* entry, NvmlDevice device, Word... words) {
  std::string line = fmt::format("{} {}", entry, index_of(device));
  ((line += fmt::format(" {}", words)), ...);
  return line;
}

/// Makes an entry ask flyball-nvml: what it takes and gives stands in the entry's type.
class NvmlBinding {
 public:
  NvmlBinding(NvmlProcessPtr process, const char* entry)
      : process_(std::move(process)), entry_(entry) {}

  void bind(std::function<int(NvmlDevice, char*, unsigned)>& f) const {
    f = [me = *this](NvmlDevice gpu, char* text, unsigned size) {
      return take_text(me.ask_text(nvml_request(me.entry_, gpu)), text, size);
    };
  }
  void bind(std::function<int(NvmlDevice, unsigned*)>& f) const { bind_number(f); }
  void bind(std::function<int(NvmlDevice, unsigned long long*)>& f) const { bind_number(f); }
  void bind(std::function<int(NvmlDevice, int, unsigned*)>& f) const {
    f = [me = *this](NvmlDevice gpu, int which, unsigned* value) {
      return take_numbers(me.ask(nvml_request(me.entry_, gpu, which)), *value);
    };
  }
  void bind(std::function<int(NvmlDevice, NvmlUtilization*)>& f) const {
    f = [me = *this](NvmlDevice gpu, NvmlUtilization* use) {
      return take_numbers(me.ask(nvml_request(me.entry_, gpu)), use->gpu, use->memory);
    };
  }
  void bind(std::function<int(NvmlDevice, NvmlMemory*)>& f) const {
    f = [me = *this](NvmlDevice gpu, NvmlMemory* memory) {
      return take_numbers(me.ask(nvml_request(me.entry_, gpu)), memory->total, memory->free,
                          memory->used);
    };
  }
  void bind(std::function<int(NvmlDevice)>& f) const {
    f = [me = *this](NvmlDevice gpu) { return me.ask(nvml_request(me.entry_, gpu)).code; };
  }
  void bind(std::function<int(NvmlDevice, unsigned)>& f) const {
    f = [me = *this](NvmlDevice gpu, unsigned value) {
      return me.ask(nvml_request(me.entry_, gpu, value)).code;
    };
  }
  void bind(std::function<int(NvmlDevice, unsigned, unsigned)>& f) const {
    f = [me = *this](NvmlDevice gpu, unsigned low, unsigned high) {
      return me.ask(nvml_request(me.entry_, gpu, low, high)).code;
    };
  }
  void bind(std::function<int(NvmlDevice, unsigned*, NvmlProcessMemory*)>& f) const {
    f = [me = *this](NvmlDevice gpu, unsigned* count, NvmlProcessMemory* list) {
      return take_entries(me.ask(nvml_request(me.entry_, gpu)), 2, count, list,
                          [](const unsigned long long* numbers) {
                            return NvmlProcessMemory{.pid = static_cast<unsigned>(numbers[0]),
                                                     .bytes = numbers[1]};
                          });
    };
  }
  void bind(
      std::function<int(NvmlDevice, NvmlProcessUse*, unsigned*, unsigned long long)>& f) const {
    f = [me = *this](NvmlDevice gpu, NvmlProcessUse* list, unsigned* count,
                     unsigned long long since_us) {
      return take_entries(me.ask(nvml_request(me.entry_, gpu, since_us / 1'000'000)), 3, count,
                          list, [](const unsigned long long* numbers) {
                            return NvmlProcessUse{.pid = static_cast<unsigned>(numbers[0]),
                                                  .time_us = numbers[1],
                                                  .gpu = static_cast<unsigned>(numbers[2])};
                          });
    };
  }
  // Two numbers, or a list that begins with how many fit: the form says which.
  void bind_two(std::function<int(NvmlDevice, unsigned*, unsigned*)>& f) const {
    f = [me = *this](NvmlDevice gpu, unsigned* first, unsigned* second) {
      return take_numbers(me.ask(nvml_request(me.entry_, gpu)), *first, *second);
    };
  }
  void bind_list(std::function<int(NvmlDevice, unsigned*, unsigned*)>& f) const {
    f = [me = *this](NvmlDevice gpu, unsigned* count, unsigned* list) {
      return take_list(me.ask(nvml_request(me.entry_, gpu)), count, list);
    };
  }
  void bind(std::function<int(NvmlDevice, unsigned, unsigned*, unsigned*)>& f) const {
    f = [me = *this](NvmlDevice gpu, unsigned of, unsigned* count, unsigned* list) {
      return take_list(me.ask(nvml_request(me.entry_, gpu, of)), count, list);
    };
  }

 private:
  template <class Number>
  void bind_number(std::function<int(NvmlDevice, Number*)>& f) const {
    f = [me = *this](NvmlDevice gpu, Number* value) {
      return take_numbers(me.ask(nvml_request(me.entry_, gpu)), *value);
    };
  }
  NvmlAnswer ask(const std::string& line) const { return parse_answer(process_->ask(line), false); }
  NvmlAnswer ask_text(const std::string& line) const {
    return parse_answer(process_->ask(line), true);
  }

  NvmlProcessPtr process_;
  const char* entry_;
};

NvmlApi entries_by(const NvmlProcessPtr& process, const std::set<std::string>& known) {
  NvmlApi api;
  api.device_count = [process](unsigned* count) {
    return take_numbers(parse_answer(process->ask("count"), false), *count);
  };
  api.device = [process](unsigned index, NvmlDevice* device) {
    *device = handle_of(index);
    return parse_answer(process->ask(nvml_request("handle", *device)), false).code;
  };
  api.error_string = [process](int code) { return process->error_text(code); };
  api.driver_version = [process](char* text, unsigned size) {
    return take_text(parse_answer(process->ask("driver_version"), true), text, size);
  };
#define BIND_text bind
#define BIND_number bind
#define BIND_number_of bind
#define BIND_counter bind
#define BIND_three_counters bind
#define BIND_two bind_two
#define BIND_two_in_one bind
#define BIND_list bind_list
#define BIND_list_of bind
#define BIND_processes bind
#define BIND_uses bind
#define BIND_set_none bind
#define BIND_set_one bind
#define BIND_set_two bind
#define BIND(entry, symbol, older, form) \
  if (known.contains(#entry)) NvmlBinding(process, #entry).BIND_##form(api.entry);
  FLYBALL_NVML_ENTRIES(BIND)
  return api;
}

Result<NvmlProcessPtr> start_program(const fs::path& program, const std::string& library) {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0)
    return file_error("start", program, errno);
  posix_spawn_file_actions_t actions;
  posix_spawnattr_t attributes;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDIN_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  ::posix_spawnattr_init(&attributes);
  ::posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID);
  std::string name = program.string(), argument = library;
  std::array<char*, 3> argv = {name.data(), argument.data(), nullptr};
  pid_t pid = 0;
  const int problem =
      ::posix_spawn(&pid, name.c_str(), &actions, &attributes, argv.data(), ::environ);
  ::posix_spawnattr_destroy(&attributes);
  ::posix_spawn_file_actions_destroy(&actions);
  ::close(ends[1]);
  if (problem != 0) {
    ::close(ends[0]);
    return file_error("start", program, problem);
  }
  return std::make_shared<NvmlProcess>(pid, ends[0]);
}

}  // namespace

fs::path nvml_program() {
  std::error_code unknown;
  const fs::path folder = fs::read_symlink("/proc/self/exe", unknown).parent_path();
  const fs::path beside = folder / "flyball-nvml";
  return fs::exists(beside, unknown) ? beside : folder.parent_path() / "lib/flyball/flyball-nvml";
}

Result<NvmlApi> open_by_program(const fs::path& program, const std::string& library) {
  std::error_code unknown;
  if (!fs::exists(program, unknown))
    return Error{Code::unavailable,
                 "a static flyball asks NVIDIA's library by its program flyball-nvml, which is not "
                 "there: " +
                     program.string(),
                 "copy it from the package or archive that this flyball is from"};
  // Whoever could write it could write this program, too, but root may run one of another user.
  if (::geteuid() == 0) FLYBALL_CHECK(trusted_code(program, "/"));
  FLYBALL_ASSIGN(const NvmlProcessPtr process, start_program(program, library));
  const std::string line = process->read_line(start_patience_ns);
  std::vector<std::string> words = split(line, ' ');
  if (words.front() == "ready") return entries_by(process, {words.begin() + 1, words.end()});
  if (words.front() == "no_library") return no_nvml_library(library);
  if (words.front() == "not_nvml") return not_nvml(library);
  if (words.front() == "failed" && words.size() > 1) {
    const int code = static_cast<int>(parse_integer(words[1]).value_or(nvml_unknown));
    const size_t text = line.find(words[1]) + words[1].size() + 1;
    return nvml_start_error(code,
                            text < line.size() ? line.substr(text) : fmt::format("error {}", code));
  }
  return Error{
      Code::unavailable, program.string() + " does not start",
      "it needs the system's C library, 2.17 or later: run it by hand to see what it says"};
}

}  // namespace flyball
