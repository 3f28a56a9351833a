// The command line of a server with places for axes, and what it is started with.
#pragma once

#include <string>
#include <vector>

#include "base/status.h"
#include "space/axis.h"

namespace flyball {

/// Words as a shell takes them apart: blanks separate, quotes and backslashes keep together.
/// Nothing else of a shell: no variables, pipes or redirections. Errors: a quote without end; no
/// word.
Result<std::vector<std::string>> parse_server_command(const std::string& text);

/// Are all places of the command and the URL ({port}, {n_gpu_layers}) axes, and all axes there?
Status check_places(const std::vector<std::string>& argv, const std::string& url,
                    const std::vector<Axis>& open);

/// A port of 127.0.0.1 that nobody listens on now.
Result<int> free_port();

}  // namespace flyball
