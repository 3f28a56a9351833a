// What the endpoint itself costs: an identity model asked by 64 kept-alive connections, by wrk on
// the same cores. Goal: 10,000 requests/s and a 99th percentile under 15 ms.
// usage: server_bench [SECONDS]
//
// Peer: wrk, which loads it | wrk --version 2>&1 | grep -q wrk
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "base/json.h"
#include "base/os/temp_folder.h"
#include "server/endpoint.h"
#include "server/identity.h"

namespace {

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return text;
  std::array<char, 4096> piece{};
  while (const size_t n = fread(piece.data(), 1, piece.size(), pipe)) text.append(piece.data(), n);
  pclose(pipe);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  using namespace flyball;
  const int seconds = argc > 1 ? std::atoi(argv[1]) : 10;
  IdentityServing serving;
  Endpoint endpoint(serving, nullptr);
  auto server = HttpServer::listen({.listen = {"127.0.0.1", 0}}, endpoint.handler());
  if (!server.ok()) {
    fmt::print(stderr, "{}\n", server.error().message);
    return 2;
  }
  const auto folder = TempFolder::make();
  if (!folder.ok()) return 2;
  // wrk prints no machine's form by itself: its script does.
  const std::string script = (folder->path() / "post.lua").string();
  FILE* file = fopen(script.c_str(), "w");
  if (!file) return 2;
  fputs(R"lua(wrk.method = "POST"
wrk.headers["Content-Type"] = "application/json"
wrk.body = '{"id":"1","inputs":[{"name":"input","shape":[1,4],"datatype":"FP32","data":[1,2,3,4]}]}'
done = function(summary, latency, requests)
  local e = summary.errors
  io.write(string.format('{"requests":%d,"us":%d,"p50_us":%d,"p99_us":%d,"max_us":%d,"errors":%d}\n',
    summary.requests, summary.duration, latency:percentile(50), latency:percentile(99), latency.max,
    e.connect + e.read + e.write + e.status + e.timeout))
end
)lua",
        file);
  fclose(file);
  const std::string output = output_of(fmt::format(
      "wrk -t1 -c64 -d{}s -s {} {}/v2/models/identity/infer", seconds, script, (*server)->url()));
  const size_t at = output.rfind("{\"requests\"");
  if (at == std::string::npos) {
    fmt::print(stderr, "wrk told nothing: {}\n", output);
    return 2;
  }
  const auto told = SortedJson::parse(output.substr(at));
  const double rate = told["requests"].get<double>() / told["us"].get<double>() * 1e6;
  const Json figures = {{"requests_per_s", rate},
                        {"p50_ms", told["p50_us"].get<double>() * 1e-3},
                        {"p99_ms", told["p99_us"].get<double>() * 1e-3},
                        {"max_ms", told["max_us"].get<double>() * 1e-3},
                        {"errors", told["errors"]}};
  fmt::print("{}\n", Json{{"benchmark", "server"}, {"figures", figures}}.dump());
  return 0;
}
