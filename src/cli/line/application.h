// The command line as a whole.
#pragma once

namespace flyball::cli {

/// Parses and runs one command; returns the exit code.
int run(int argc, char** argv);

}  // namespace flyball::cli
