// For tests of what needs LibTorch.
#pragma once

#include <gtest/gtest.h>

#include "module/module.h"

/// Skips the test in a build without LibTorch; elsewhere a module that is missing is a failure.
#define FLYBALL_NEEDS_TORCH() \
  if (!flyball::built_with_torch()) GTEST_SKIP() << flyball::read_stamp().error().message
