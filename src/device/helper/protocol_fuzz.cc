// Two clients say anything to the helper: whatever it is, the board is set to listed values alone,
// only by who has it, every line is answered by one line that the other side can read, and in the
// end the board is as it was. A byte 0x01 at the start of a line makes the second client say it.
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdlib>

#include "device/helper/dispatcher.h"

namespace {

using namespace flyball;

void demand(bool holds) {
  if (!holds) std::abort();
}

// As near as check_value() takes it.
bool near(double value, double listed) {
  return std::abs(value - listed) < 1e-5 * listed;
}

// What stands on the board, and who took it.
struct FuzzBoard {
  Settings settings{{"cpu_mhz", 1000}};
  int devices = 0;
};

class FuzzDevice final : public Device {
 public:
  explicit FuzzDevice(FuzzBoard& board) : board_(board), before_(board.settings) {}
  ~FuzzDevice() override {
    (void)restore();
    if (claimed_) --board_.devices;
  }
  const DeviceInfo& info() const override { return info_; }
  std::vector<AxisState> states() const override {
    return {{.axis = named_axis("cpu_cores", {1, 2}), .own = true},
            {.axis = named_axis("cpu_mhz", {500, 729.6, 1000})}};
  }
  PowerMode caps() const override { return {board_.settings}; }
  PowerMode baseline() const override { return {before_}; }
  std::vector<AxisGap> gaps() const override {
    return {{{"gpu_mhz"}, {Code::unavailable, "no \xff GPU", ""}}};
  }
  Status claim() override {
    demand(board_.devices == 0);
    board_.devices += !claimed_;
    claimed_ = true;
    return {};
  }
  Status apply(const PowerMode& mode) override {
    demand(claimed_);
    for (const auto& [name, value] : mode.values)
      demand(name == "cpu_mhz" && (near(value, 500) || near(value, 729.6) || near(value, 1000)));
    for (const auto& [name, value] : mode.values) board_.settings[name] = value;
    return {};
  }
  Status restore() override {
    board_.settings = before_;
    return {};
  }
  Status can_keep() const override { return {}; }
  Status keep() override {
    before_ = board_.settings;
    return {};
  }

 private:
  FuzzBoard& board_;
  Settings before_;
  DeviceInfo info_;
  bool claimed_ = false;
};

// Both readers of a reply take any bytes, too.
void read_as_reply(const std::string& line) {
  const auto done = parse_helper_done(line);
  const auto board = parse_helper_board(line);
  demand(done.ok() || !done.error().message.empty() || line.find("\"message\":\"\"") != line.npos);
  if (board)
    for (const Axis& axis : board->axes)
      demand(!axis.values.empty() && std::ranges::is_sorted(axis.values));
}

void check_reply(const std::string& reply) {
  demand(reply.size() <= helper_reply_bytes && reply.ends_with('\n'));
  demand(std::ranges::count(reply, '\n') == 1);
  const auto done = parse_helper_done(reply);
  demand(done.ok() || done.error().code != Code::corrupt);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  FuzzBoard board;
  const HelperPeer peers[] = {{12, 1000, 1000}, {13, 1001, 1000}};
  bool keeps = false;
  {
    HelperDispatcher dispatcher(
        [&] { return Result<std::unique_ptr<Device>>(std::make_unique<FuzzDevice>(board)); }, "/",
        [](const std::string& text) { demand(!text.empty()); });
    LineBuffer buffer(helper_request_bytes);
    buffer.add({reinterpret_cast<const char*>(data), size});
    while (!buffer.too_long()) {
      auto line = buffer.take();
      if (!line) break;
      const bool second = line->starts_with('\x01');
      if (second) line->erase(0, 1);
      read_as_reply(*line);
      const auto request = parse_helper_request(*line);
      if (request) {
        const auto again =
            parse_helper_request(std::string_view(helper_request_line(*request))
                                     .substr(0, helper_request_line(*request).size() - 1));
        demand(again.ok() && again->kind == request->kind && again->mode == request->mode);
        keeps |= request->kind == HelperRequest::Kind::keep;
      }
      const Settings before = board.settings;
      check_reply(dispatcher.answer(second ? 2 : 1, peers[second ? 1 : 0], *line));
      if (!request) demand(board.settings == before);
    }
    dispatcher.gone(1);
    dispatcher.gone(2);
    demand(!dispatcher.held() && board.devices == 0);
  }
  if (!keeps) demand(board.settings == Settings{{"cpu_mhz", 1000}});
  return 0;
}
