// The module's own words about itself (stamp.h).
#include <torch/version.h>

#include "module/stamp.h"

extern "C" {
extern const char flyball_module_stamp[];
const char flyball_module_stamp[] =
    FLYBALL_MODULE_MARK FLYBALL_MODULE_BUILD "\n" TORCH_VERSION "\n" FLYBALL_TORCH_LIBRARY;
}
