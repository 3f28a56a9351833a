// Looks that ask the running kernel and its libraries; no recorded tree can stand in for them.
#include <dlfcn.h>
#include <fcntl.h>
#include <fmt/format.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <thread>

#include "base/os/library.h"
#include "base/parallel.h"
#include "device/doctor/machine_checks.h"

namespace flyball {
namespace {

using State = Capability::State;

Capability check_affinity() {
  return {
      "CPU affinity", "axis cpu_cores on this machine", State::available,
      fmt::format("{} of {} cores may be used", usable_cores(), ::sysconf(_SC_NPROCESSORS_CONF)),
      ""};
}

Capability check_perf() {
  Capability c{"performance counters", "instructions and cache misses of a step", State::available,
               "cycles can be counted", ""};
  perf_event_attr attributes{};
  attributes.size = sizeof attributes;
  attributes.type = PERF_TYPE_HARDWARE;
  attributes.config = PERF_COUNT_HW_CPU_CYCLES;
  attributes.exclude_kernel = 1;
  const long fd = ::syscall(SYS_perf_event_open, &attributes, 0, -1, -1, 0);
  if (fd >= 0) {
    ::close(static_cast<int>(fd));
    return c;
  }
  const bool refused = errno == EACCES || errno == EPERM;
  c.state = refused ? State::no_permission : State::missing;
  c.value = refused ? "the kernel refuses them"
                    : fmt::format("no hardware counters ({})", std::strerror(errno));
  c.remedy =
      refused ? "sudo sysctl kernel.perf_event_paranoid=1" : "virtual machines rarely have them";
  return c;
}

Capability check_real_time() {
  Capability c{"real-time priority", "a sampler that is on time while every core is busy",
               State::no_permission, "SCHED_FIFO is refused",
               "run as root, or raise the limit: ulimit -r 1"};
  std::thread([&c] {
    sched_param priority{};
    priority.sched_priority = 1;
    if (pthread_setschedparam(pthread_self(), SCHED_FIFO, &priority) != 0) return;
    c.state = State::available;
    c.value = "SCHED_FIFO is granted";
    c.remedy.clear();
  }).join();
  return c;
}

}  // namespace

std::vector<Capability> check_kernel() {
  return {check_affinity(), check_perf(), check_real_time()};
}

std::vector<Capability> check_cuda() {
  Capability c{"CUDA driver", "training and inference on an NVIDIA GPU", State::available,
               "libcuda.so.1 loads", ""};
  if constexpr (!loads_libraries) {
    c.state = State::missing;
    c.value = "a static flyball cannot load libcuda.so.1";
    c.remedy = "build flyball on the board itself";
    return {c};
  }
  if (void* library = ::dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL)) {
    ::dlclose(library);
    return {c};
  }
  c.state = State::missing;
  c.value = "libcuda.so.1 is not installed";
  c.remedy = "install NVIDIA's driver, where there is such a GPU";
  return {c};
}

}  // namespace flyball
