#include "monitor/screen_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/clock.h"
#include "base/text.h"

namespace flyball {
namespace {

constexpr std::array zooms = {0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0, 300.0, 900.0};
constexpr size_t most_typed = 100;

std::string typed_line(const std::string& typed) {
  return "> " + typed + "_";
}

}  // namespace

ScreenSession::ScreenSession(FrameReader& reader, const WatchOptions& options, Glyphs glyphs)
    : reader_(reader), record_(options.record) {
  state_.glyphs = glyphs;
  state_.interval_s = options.interval_s;
  state_.column_s = std::max(options.interval_s, zooms.front());
}

ScreenSession::~ScreenSession() {
  if (recording_) (void)recording_->finish();
}

void ScreenSession::take(const BoardFrame& frame) {
  if (frame_ && frame.at_s < frame_->at_s) state_.mark_s = state_.mark_j = 0;
  if (!frame_) {
    state_.mark_s = frame.at_s;
    state_.mark_j = frame.energy_j;
  }
  history_.add(frame);
  frame_ = frame;
  if (!recording_) return;
  if (const Status written = recording_->add(frame); !written.ok()) {
    recording_.reset();
    state_.recording.clear();
    tell(written.error().message);
  }
}

void ScreenSession::press(int key) {
  state_.message.clear();
  if (asking_ != Asking::nothing) return press_in_dialog(key);
  if (state_.help) {
    state_.help = false;
    if (key != 'q') return;
  }
  switch (key) {
    case 'q':
      quit_ = true;
      break;
    case 'h':
    case '?':
      state_.help = true;
      break;
    case 'm':
      mark();
      break;
    case 'r':
      toggle_recording();
      break;
    case 'p':
      ask_for_mode();
      break;
    case '+':
    case '=':
      zoom(-1);
      break;
    case '-':
      zoom(+1);
      break;
    case ' ':
      state_.paused = !state_.paused;
      shown_ = state_.paused ? frame_ : std::nullopt;
      break;
    default:
      break;
  }
}

Canvas ScreenSession::draw(int width, int height) {
  if (asking_ == Asking::which_mode) state_.dialog.back() = typed_line(typed_);
  if (!frame_) return Canvas(width, height);
  return draw_screen(width, height, shown_ ? *shown_ : *frame_, history_, state_);
}

void ScreenSession::mark() {
  if (!frame_) return;
  state_.mark_s = frame_->at_s;
  state_.mark_j = frame_->energy_j;
  tell("marked: energy is counted from here");
}

void ScreenSession::zoom(double steps) {
  const auto now = std::ranges::lower_bound(zooms, state_.column_s - 1e-9);
  const auto at = static_cast<int>(now - zooms.begin()) + static_cast<int>(steps);
  state_.column_s =
      zooms[static_cast<size_t>(std::clamp(at, 0, static_cast<int>(zooms.size()) - 1))];
}

void ScreenSession::toggle_recording() {
  if (recording_) return end_recording();
  if (!record_) return tell("these frames are a file's already");
  if (frame_) begin_recording();
}

void ScreenSession::begin_recording() {
  auto recording = record_(*frame_);
  if (!recording) return tell(recording.error().message);
  recording_ = *std::move(recording);
  state_.recording = recording_->path().string();
  tell("recording into " + state_.recording);
}

void ScreenSession::end_recording() {
  const Status finished = recording_->finish();
  tell(finished.ok() ? fmt::format("recorded: flyball report {} shows it", state_.recording)
                     : finished.error().message);
  recording_.reset();
  state_.recording.clear();
}

void ScreenSession::ask_for_mode() {
  const auto presets = reader_.presets();
  state_.dialog = {"Which preset or mode? Enter takes it, Esc leaves it.", ""};
  for (const Preset& preset : presets)
    state_.dialog.push_back(
        fmt::format("{:>3}  {}  {}", preset.id, preset.name, describe(preset.mode.values)));
  if (presets.empty()) state_.dialog.emplace_back("no presets are known here");
  state_.dialog.emplace_back("or AXIS=VALUE,AXIS=VALUE: each clock is pinned");
  state_.dialog.emplace_back("");
  state_.dialog.push_back(typed_line(typed_ = ""));
  asking_ = Asking::which_mode;
}

void ScreenSession::ask_really() {
  asking_ = Asking::really;
  state_.dialog = {fmt::format("Set {} on this board?", typed_),
                   reader_.live()
                       ? "It stays until `flyball mode restore` puts back what was before."
                       : "The simulated board keeps it while it is watched.",
                   "y: set it; any other key: leave it"};
}

void ScreenSession::press_in_dialog(int key) {
  const bool leave = key == key_escape || (asking_ == Asking::really && key != 'y');
  if (asking_ == Asking::really && key == 'y') set_asked_mode();
  if (leave) tell("nothing was set");
  if (leave || (asking_ == Asking::really)) {
    asking_ = Asking::nothing;
    state_.dialog.clear();
    return;
  }
  if (key == key_enter && !typed_.empty()) return ask_really();
  if (key == key_back && !typed_.empty()) typed_.pop_back();
  if (key >= ' ' && key < 127 && typed_.size() < most_typed) typed_ += static_cast<char>(key);
}

void ScreenSession::set_asked_mode() {
  const auto set = reader_.set_mode(typed_);
  if (set) return tell(*set);
  tell(set.error().message + (set.error().hint.empty() ? "" : "; " + set.error().hint));
}

}  // namespace flyball
