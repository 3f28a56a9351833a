// Documents of `--json` in the version that was asked for. Version 2 has `schema` in every document
// and one form for the answers of tune, plan and study; docs/json.md lists what moved.
#pragma once

#include "base/json_fwd.h"

namespace flyball {

/// The document in this version: 2 with `schema` as its first key, 1 as earlier programs
/// printed it. A stored answer within it, too.
Json in_version(const Json& document, int version);

/// The version that `--json=VERSION` asks this process for.
void ask_json_version(int version);
/// in_version() of that one; 2 unless another one was asked for.
Json in_asked_version(const Json& document);

/// An answer that a program before version 2 kept, in the keys of version 2. What it did not say is
/// missing.
Json upgraded(Json answer);

}  // namespace flyball
