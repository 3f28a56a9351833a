#include "server/open_files.h"

#include <sys/resource.h>

#include <algorithm>
#include <filesystem>

namespace flyball {
namespace {

// For the rest of the program: data, sensors, accelerators.
constexpr size_t wanted_files = 1024, least_files = 64;

}  // namespace

// Shells begin programs with fewer files than they may have.
size_t affordable_connections(size_t connections) {
  rlimit files{};
  if (getrlimit(RLIMIT_NOFILE, &files) != 0 || files.rlim_cur == RLIM_INFINITY) return connections;
  size_t taken = least_files;
  std::error_code unknown;
  for (std::filesystem::directory_iterator open("/proc/self/fd", unknown), end;
       !unknown && open != end; open.increment(unknown))
    ++taken;
  rlimit more = files;
  more.rlim_cur = std::min<rlim_t>(files.rlim_max, connections + wanted_files);
  if (more.rlim_cur > files.rlim_cur && setrlimit(RLIMIT_NOFILE, &more) == 0) files = more;
  const size_t left = files.rlim_cur > taken ? files.rlim_cur - taken : 1;
  return std::min(connections, left);
}

}  // namespace flyball
