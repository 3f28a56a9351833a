// What `--device` names. One registry opens it, and it means the same in every command.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "boards/preset.h"
#include "device/device.h"
#include "device/helper/helper_device.h"
#include "device/power_meter.h"
#include "space/table.h"

namespace flyball {

struct TwinBoard;
struct TwinPower;

/// "table:FILE" or "cuda:1", taken apart.
struct BoardName {
  enum class Kind { host, jetson, board, cuda, table, twin };

  Kind kind = Kind::host;
  std::string argument{};  ///< what stands behind the colon; "" where nothing does

  std::string text() const;
};

/// Reads what stands behind `--device`. "" is what this machine is; "cpu" is another name of
/// "host". Errors: a kind that there is not, named with those there are; a kind without its
/// argument.
Result<BoardName> parse_board(const std::string& text);
/// Can the text be the name of a board that is not here ("orin_nano"), where a command knows such?
/// Not if it names a kind ("cuda", "table:FILE", "tabel:FILE").
bool may_name_absent_board(const std::string& text);
/// For commands that measure nothing: under which name the store knows the trials of the board;
/// nothing of a table or a simulated board, which is opened. Error: it is one to measure on.
Result<std::optional<std::string>> stored_board(const std::string& text);

struct BoardInfo {
  BoardName name;
  DeviceInfo device;            ///< whose numbers these are
  std::string compute = "cpu";  ///< where a network computes: "cpu", "cuda:0"; "" for a table
  Provenance provenance = Provenance::measured;
  std::string gpu{};  ///< identifier of the NVIDIA GPU that computes; "" where there is none
  /// Its GPU computes where LibTorch has CUDA: who runs a network there finds out and says so.
  bool may_compute_on_gpu = false;
};

/// A board to measure on, or one that was measured.
class Board {
 public:
  virtual ~Board() = default;
  virtual const BoardInfo& info() const = 0;
  /// Its knobs; `left` as of with_helper(). Errors: a table has none.
  virtual Result<std::unique_ptr<Device>> knobs(ReportLeft left) const = 0;
  /// The same to look at: nothing is set.
  Result<std::unique_ptr<Device>> knobs() const { return knobs({}); }
  /// Its power: of which total, or why there is none.
  virtual std::unique_ptr<PowerMeter> power() const = 0;
  /// Its preset power modes: of a live board what its nvpmodel.conf holds, of a simulated one what
  /// boards/ says of its kind. None where there are none, or they are not known.
  virtual Presets presets() const { return {}; }
  /// What was measured on it, where that is all there is of it; null for a live board.
  virtual const Table* table() const { return nullptr; }
  /// What is simulated, of a board that is; null for all others.
  virtual const TwinBoard* twin() const { return nullptr; }
  /// Is there something to run on: this machine, or a simulated board?
  bool live() const { return table() == nullptr; }
  /// Error: a program of the user's own cannot run there.
  Status check_runs_programs() const;
};

/// One kind of board. A new one is a file and a line in board.cc.
struct BoardKind {
  BoardName::Kind kind;
  std::string name;
  std::string argument;  ///< "FILE", "[N]", or "" where it takes none
  std::string summary;
  Result<std::unique_ptr<Board>> (*open)(const BoardName&, const std::filesystem::path& root);

  /// Must something stand behind the colon?
  bool needs_argument() const { return !argument.empty() && argument.front() != '['; }
  std::string usage() const;  ///< "table:FILE", "cuda[:N]"
};
const std::vector<BoardKind>& board_kinds();

/// Opens the board of a name; "" is the board that `root` (of the /proc and /sys of a live one)
/// shows, else this machine. Errors: as parse_board(); a table that does not read; another board.
Result<std::unique_ptr<Board>> open_board(const std::string& name,
                                          const std::filesystem::path& root = "/");

/// The GPU that "cuda:N" names; 0 for "cuda". Error: N is no number.
Result<size_t> cuda_index(const BoardName& name);
/// What a program's environment says on "cuda:N", "NAME=value": CUDA_VISIBLE_DEVICES by the GPU's
/// identifier, which CUDA then counts alone, as number 0. Empty where it is to be as it is: no GPU
/// was named, nobody tells of GPUs, or N is a slice or one of several models. Error: there is no
/// such GPU.
Result<std::vector<std::string>> gpu_environment(const BoardName& name,
                                                 const std::filesystem::path& root);

// Their makers, each in a file of its name.
Result<std::unique_ptr<Board>> open_host_board(const BoardName&, const std::filesystem::path& root);
Result<std::unique_ptr<Board>> open_cuda_board(const BoardName&, const std::filesystem::path& root);
Result<std::unique_ptr<Board>> open_known_board(const BoardName&,
                                                const std::filesystem::path& root);
Result<std::unique_ptr<Board>> open_table_board(const BoardName&,
                                                const std::filesystem::path& root);
Result<std::unique_ptr<Board>> open_twin_board(const BoardName&, const std::filesystem::path& root);

}  // namespace flyball
