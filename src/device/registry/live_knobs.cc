#include "device/registry/live_knobs.h"

#include "device/host/cuda_device.h"
#include "device/host/host.h"

namespace flyball {

Result<std::unique_ptr<BoardDevice>> open_live_knobs(const BoardName& name,
                                                     const BoardIdentity& identity,
                                                     const std::filesystem::path& root) {
  if (name.kind == BoardName::Kind::host) return open_host_knobs({.root = root});
  if (name.kind != BoardName::Kind::cuda) return open_any_board(identity, root);
  FLYBALL_ASSIGN(const size_t gpu, cuda_index(name));
  return open_cuda_knobs(root, gpu);
}

}  // namespace flyball
