// What a record holds, in lines for people.
#pragma once

#include <string>

#include "base/json_fwd.h"

namespace flyball::cli {

/// Of the document of record_json().
std::string record_text(const Json& record);

}  // namespace flyball::cli
