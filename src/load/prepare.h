// From a server's address to the request it is loaded with: what its metadata says is asked first.
#pragma once

#include "load/load_request.h"
#include "load/target.h"

namespace flyball {

/// Asks for metadata where the protocol has some, then sends the request once: a wrong name or path
/// is told before the load. Errors: what is wrong, with the server's words.
Result<LoadRequest> prepare_load(const LoadTarget& target, const LoadRequestOptions& options,
                                 double timeout_s);

/// The same without sending it.
Result<LoadRequest> make_load_request(const LoadTarget& target, const LoadRequestOptions& options,
                                      double timeout_s);

}  // namespace flyball
