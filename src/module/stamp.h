// What a module's file holds so that it is known without being loaded: this mark, then one line
// each for the build, LibTorch's version and LibTorch's library.
#pragma once

#define FLYBALL_MODULE_MARK "FLYBALL-MODULE\n"
