// Connections of a load test: HTTP/1.1 on Boost.Beast, one request after the other on each.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/status.h"
#include "load/answer_reader.h"
#include "load/load_request.h"
#include "load/target.h"
#include "server/asio.h"

namespace flyball {

/// The first address of the server that takes a connection. Errors name it.
Result<tcp::endpoint> reach(const LoadTarget& target, double timeout_s);
/// Is this address one of this machine?
bool is_of_this_machine(const tcp::endpoint& endpoint);

/// One connection, which is made when it is first needed and kept alive. Times are monotonic.
class LoadConnection {
 public:
  using Done = std::function<void(LoadAnswer)>;

  LoadConnection(asio::io_context& io, tcp::endpoint endpoint, const LoadTarget& target,
                 const AnswerLimits& limits);
  ~LoadConnection();
  LoadConnection(const LoadConnection&) = delete;
  LoadConnection& operator=(const LoadConnection&) = delete;

  /// Sends it, and calls `done` once with what came before the deadline. One at a time; the request
  /// lives until then.
  void ask(const LoadRequest& request, int64_t deadline_ns, Done done);
  /// Ends what is under way without calling anybody.
  void close();
  /// Connections that the server had closed between two requests.
  size_t reopened() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

/// What a single request for metadata or readiness was answered with.
struct PlainAnswer {
  int status = 0;
  std::string body;
};
Result<PlainAnswer> fetch(const LoadTarget& target, const std::string& path,
                          const std::vector<std::pair<std::string, std::string>>& headers,
                          double timeout_s);

/// One request of the load by itself.
Result<LoadAnswer> ask_once(const LoadTarget& target, const LoadRequest& request, double timeout_s);

}  // namespace flyball
