#include "device/host/board_device.h"

#include <fmt/format.h>
#include <sys/utsname.h>

#include <algorithm>
#include <numeric>

#include "base/files.h"
#include "base/text.h"
#include "device/helper/link.h"
#include "device/host/fixed_settings.h"
#include "device/host/host.h"
#include "device/standing_mode.h"

namespace flyball {
namespace {

namespace fs = std::filesystem;

// Of a tree what it shows; our own kernel says nothing of it.
std::string kernel_of(const fs::path& root) {
  if (root == "/") {
    utsname system{};
    uname(&system);
    return fmt::format("{} {} {}", system.sysname, system.release, system.machine);
  }
  const auto release = read_file(root / "proc/sys/kernel/osrelease", 4096);
  return "Linux " + (release ? std::string(trim(*release)) : "of a tree");
}

}  // namespace

DeviceInfo describe_board(const BoardIdentity& board, const std::string& name, size_t cores,
                          const fs::path& root) {
  DeviceInfo info{name, fmt::format("{}, {} cores", board.name, cores), "",
                  fixed_conditions(read_fixed(board, root))};
  info.fingerprint = fmt::format("{}; {}", info.title, kernel_of(root));
  if (!board.release.empty()) info.fingerprint += "; L4T " + board.release;
  return info;
}

BoardDevice::BoardDevice(BoardDeviceOptions options, Parts parts)
    : options_(std::move(options)), parts_(std::move(parts)) {
  if (options_.journal.empty()) options_.journal = board_journal();
  if (const auto put_back = recover_settings(options_.journal); !put_back)
    parts_.gaps.insert(parts_.gaps.begin(), {{}, put_back.error()});
  for (const KnobPtr& knob : parts_.knobs) {
    const Status allowed = options_.rehearsed ? Status() : knob->settable();
    if (allowed.ok()) {
      settable_.push_back(knob.get());
      continue;
    }
    const std::string& name = knob->axis().name;
    const Error& reason = allowed.error();
    parts_.gaps.push_back({{name},
                           {reason.code, fmt::format("{} cannot be set: {}", name, reason.message),
                            rights_remedy()}});
  }
}

BoardDevice::~BoardDevice() {
  (void)restore();
}

std::vector<AxisState> BoardDevice::states() const {
  std::vector<AxisState> states;
  for (const KnobPtr& knob : parts_.knobs) {
    const auto stuck = stuck_.find(knob->axis().name);
    states.push_back({.axis = knob->axis(),
                      .settable = std::ranges::count(settable_, knob.get()) > 0,
                      .own = !knob->outlives_us(),
                      .asked = states.size() >= parts_.asked_from});
    if (stuck != stuck_.end()) states.back().stays_at = stuck->second;
  }
  return states;
}

Knob* BoardDevice::find(const std::string& axis) const {
  for (const KnobPtr& knob : parts_.knobs)
    if (knob->axis().name == axis) return knob.get();
  return nullptr;
}

PowerMode BoardDevice::caps() const {
  PowerMode mode;
  for (const Knob* knob : settable_) {
    const std::vector<double>& values = knob->axis().values;
    const auto cap = knob->cap();
    mode.values[knob->axis().name] = cap ? highest_not_above(values, *cap) : values.back();
  }
  return mode;
}

// Also what the helper sets for us.
Settings BoardDevice::observed() const {
  Settings seen;
  for (size_t k = 0; k < parts_.knobs.size(); ++k)
    if (parts_.clocks_tell || k >= parts_.asked_from)
      if (const auto now = parts_.knobs[k]->now()) seen[parts_.knobs[k]->axis().name] = *now;
  return seen;
}

Status BoardDevice::claim() {
  if (journal_) {
    note_baseline();
    return {};
  }
  if (std::ranges::none_of(settable_, [](const Knob* knob) { return knob->outlives_us(); })) {
    // What an earlier flyball could set still matters.
    FLYBALL_ASSIGN([[maybe_unused]] const size_t put_back, recover_settings(options_.journal));
    return {};
  }
  FLYBALL_ASSIGN(journal_, SettingsJournal::open(options_.journal, options_.root, *options_.files));
  note_baseline();
  return {};
}

Result<SettingsJournal*> BoardDevice::claim_journal() {
  FLYBALL_CHECK(claim());
  set_ = {};  // what is set through the journal may be another mode
  if (journal_) return journal_.get();
  return Error{Code::unavailable, "no clock of this machine can be set",
               "`flyball mode list` says what can be set, and why no more"};
}

void BoardDevice::note_baseline() {
  if (!baseline_) baseline_ = caps();
}

Status BoardDevice::check(const PowerMode& mode) const {
  for (const auto& [name, value] : mode.values) {
    const auto knob = std::ranges::find_if(
        settable_, [&, n = name](const Knob* known) { return known->axis().name == n; });
    if (knob == settable_.end())
      return Error{Code::invalid_argument, fmt::format("this machine has no axis '{}'", name),
                   "`flyball devices` lists its axes"};
    FLYBALL_CHECK(check_value((*knob)->axis(), value));
  }
  return {};
}

// Asked, got and the likely reason.
Error BoardDevice::explained(const Error& error, const Knob& knob, double value) const {
  Error told =
      error.within(fmt::format("{} was not set to {}", knob.axis().name, format_number(value)));
  if (stuck_.contains(knob.axis().name))
    told.hint =
        "it did not rise: this release may need a reboot to raise clocks that were lowered "
        "(old JetPack), or a cap of the power mode holds it";
  return told;
}

Status BoardDevice::set(const std::string& axis, double value) {
  Knob* knob = find(axis);
  const auto cap = knob->cap();
  set_.values.erase(axis);
  const Status status = knob->set(value, value, journal_.get());
  if (status.ok()) {
    stuck_.erase(axis);
    set_.values[axis] = value;
    return {};
  }
  // Of a board's own clocks alone: what holds the limit of a GPU may let go of it.
  const bool clock = parts_.clocks_tell && axis != axis::cpu_cores;
  const bool raised = cap && value > *cap;
  if (clock && raised && status.error().code == Code::unavailable)
    stuck_[axis] = knob->cap() ? *knob->cap() : *cap;
  return explained(status.error(), *knob, value);
}

Status BoardDevice::apply(const PowerMode& mode) {
  FLYBALL_CHECK(check(mode));
  if (std::ranges::any_of(mode.values, [&](const auto& v) { return find(v.first)->outlives_us(); }))
    FLYBALL_CHECK(claim());
  note_baseline();
  const auto cores = mode.values.find(axis::cpu_cores);
  bool later = false;
  if (cores != mode.values.end()) {
    const auto online = find(axis::cpu_cores)->cap();
    later = online && cores->second < *online;
    if (!later) FLYBALL_CHECK(set(axis::cpu_cores, cores->second));
  }
  for (const auto& [name, value] : mode.values)
    if (name != axis::cpu_cores) FLYBALL_CHECK(set(name, value));
  return later ? set(axis::cpu_cores, cores->second) : Status();
}

// What a GPU's driver was asked for by name it tells otherwise (nvidia_knobs.h), and cores by
// affinity nobody else sets.
Status BoardDevice::still_set() {
  PowerMode now;
  for (size_t k = 0; k < std::min(parts_.knobs.size(), parts_.asked_from); ++k) {
    const Knob& knob = *parts_.knobs[k];
    if (!knob.outlives_us()) continue;
    if (const auto cap = knob.cap())
      now.values[knob.axis().name] = highest_not_above(knob.axis().values, *cap);
  }
  return check_stands(set_, now);
}

Status BoardDevice::restore() {
  set_ = {};
  Status status;
  if (journal_) status = journal_->restore();
  for (const KnobPtr& knob : parts_.knobs)
    if (const Status undone = knob->undo(); status.ok()) status = undone;
  if (status.ok()) baseline_.reset();
  return status;
}

Status BoardDevice::can_keep() const {
  if (std::ranges::any_of(settable_, [](const Knob* knob) { return knob->outlives_us(); }))
    return {};
  return Error{Code::unavailable, "this machine has no clock that can be set to stay",
               "cores are chosen per process: start the workload with `taskset`"};
}

Status BoardDevice::keep() {
  FLYBALL_CHECK(can_keep());
  if (journal_) FLYBALL_CHECK(journal_->keep());
  baseline_.reset();
  set_ = {};
  return {};
}

std::unique_ptr<BoardDevice> open_known_board(const BoardIdentity& board,
                                              BoardDeviceOptions options) {
  const KnobPlace place{options.root, options.files};
  BoardDevice::Parts parts;
  const auto add = [&](const char* axis, Result<KnobPtr> knob) {
    if (knob)
      parts.knobs.push_back(*std::move(knob));
    else
      parts.gaps.push_back({{axis}, knob.error()});
  };
  const std::vector<int> cpus = present_cpus(place);
  auto cores = find_hotplug_cores(place, board.spec ? board.spec->last_cores : std::vector<int>());
  if (cores && !(*cores)->settable().ok() && options.root == "/" && !options.rehearsed) {
    // Unprivileged: what this process and its children use.
    const std::vector<int> allowed = allowed_cpus();
    std::vector<double> counts(allowed.size());
    std::iota(counts.begin(), counts.end(), 1.0);
    parts.gaps.push_back(
        {{axis::cpu_cores},
         {Code::permission, "cpu_cores is set by affinity only: cores stay on", rights_remedy()}});
    cores = make_affinity_cores(allowed, counts, true);
  }
  add(axis::cpu_cores, std::move(cores));
  add(axis::cpu_mhz, find_cpu_clock(place, cpus));
  // A board without a GPU clock or a memory clock has nothing that is missing.
  const bool expected = board.jetson();
  if (auto gpu = find_gpu_clock(place, board.spec); gpu || expected)
    add(axis::gpu_mhz, std::move(gpu));
  if (board.spec && !board.spec->memory.rate.empty())
    add(axis::mem_mhz, find_memory_clock(place, *board.spec));
  parts.clocks_tell = true;
  parts.info = describe_board(board, board.id, cpus.size(), options.root);
  return std::make_unique<BoardDevice>(std::move(options), std::move(parts));
}

std::unique_ptr<BoardDevice> open_any_board(const BoardIdentity& board, const fs::path& root) {
  if (board.id == "host") return open_host_knobs({.root = root});
  return open_known_board(board, {.root = root});
}

std::unique_ptr<BoardDevice> open_rehearsed_board(const BoardIdentity& board,
                                                  BoardDeviceOptions options) {
  options.rehearsed = true;
  if (board.id != "host") return open_known_board(board, std::move(options));
  BoardDevice::Parts parts =
      host_parts({.root = options.root, .pin_threads = false, .files = options.files});
  return std::make_unique<BoardDevice>(std::move(options), std::move(parts));
}

}  // namespace flyball
