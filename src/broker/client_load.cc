#include "broker/client_load.h"

#include <unistd.h>

#include <algorithm>

#include "base/clock.h"
#include "telemetry/process/process_tree.h"

namespace flyball {
namespace {

constexpr int deepest = 8;            // of processes that start processes
constexpr size_t most_looked = 4096;  // processes that are remembered

}  // namespace

ClientLoad::ClientLoad() : began_ns_(monotonic_ns()) {}

void ClientLoad::add(int pid) {
  if (pid <= 0 || clients_.size() >= most_looked) return;
  clients_.insert(pid);
  look_at(pid, 0);
}

void ClientLoad::look() {
  for (auto& [pid, use] : uses_) use.lives = false;
  std::erase_if(clients_, [](int pid) { return !read_pid_stat(pid); });
  for (const int pid : clients_) look_at(pid, 0);
  for (const auto& [pid, use] : uses_)
    if (!use.lives) ended_s_ += use.now_s - use.first_s;
  std::erase_if(uses_, [](const auto& one) { return !one.second.lives; });
}

void ClientLoad::look_at(int pid, int depth) {
  const auto stat = read_pid_stat(pid);
  if (!stat || depth > deepest || uses_.size() >= most_looked) return;
  const double now_s =
      static_cast<double>(stat->user + stat->system) / static_cast<double>(::sysconf(_SC_CLK_TCK));
  // What a client used before it came is nobody's; what it has started since then is all its own.
  Use& use = uses_.try_emplace(pid, Use{.first_s = depth == 0 ? now_s : 0}).first->second;
  use.now_s = std::max(use.now_s, now_s);
  use.lives = true;
  for (const pid_t child : ProcessTree::children_of(pid)) look_at(child, depth + 1);
}

std::optional<double> ClientLoad::other_cores() const {
  const auto cores = others_.cores();
  if (!cores) return {};
  double clients_s = ended_s_;
  for (const auto& [pid, use] : uses_) clients_s += use.now_s - use.first_s;
  const double wall_s = static_cast<double>(monotonic_ns() - began_ns_) * 1e-9;
  return std::max(0.0, *cores - clients_s / wall_s);
}

}  // namespace flyball
