#include "cli/serving/serving.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/files.h"
#include "base/os/interrupt.h"
#include "cli/board.h"
#include "cli/checks.h"
#include "cli/report_left.h"
#include "cli/stored.h"
#include "cli/tables.h"
#include "schedule/serving/simulated_serving.h"
#include "server/identity.h"
#include "space/named_source.h"
#include "store/store.h"
#include "tune/plan_costs.h"
#include "workload/checkpoint.h"
#include "workload/workload.h"

namespace flyball::cli {
namespace {

constexpr size_t live_spans = 1'000'000, simulated_spans = 200'000;  // of --trace

// What is mistyped is told before anything is loaded.
Status check_names(const ServeRequest& request) {
  for (const auto& names : {request.train, request.infer})
    for (const std::string& name : names)
      if (name != identity_name && read_source(name).kind != NamedSource::Kind::script)
        if (const auto known = find_workload(name); !known) return known.error();
  if (!request.weights.empty()) FLYBALL_CHECK(check_checkpoint_file(request.weights));
  if (request.train.empty() || request.checkpoints.empty()) return {};
  std::error_code failed;
  std::filesystem::create_directories(request.checkpoints, failed);
  const Status writable =
      failed ? Status(file_error("create the folder", request.checkpoints, failed.value()))
             : check_writable(request.checkpoints / "probe");
  if (writable.ok()) return writable;
  return Error{writable.error().code, writable.error().message,
               "trainings are kept there: --checkpoint names another folder, --no-checkpoint keeps "
               "none"};
}

LiveJobs jobs_of(const PlanOptions& plan) {
  LiveJobs jobs = network_jobs([data = plan.data, quiet = plan.quiet](const std::string& workload) {
    return dataset_folder(workload, data, quiet);
  });
  jobs.service = [network = jobs.service](
                     const std::string& workload, const JobPlace& place,
                     const ServeRequest& request) -> Result<std::unique_ptr<InferenceRunner>> {
    if (workload == identity_name) return make_identity_runner();
    return network(workload, place, request);
  };
  return jobs;
}

Status write_trace(const ServeOptions& options, const ServedRun& served) {
  if (options.trace.empty()) return {};
  return write_file(options.trace, chrome_trace({}, served.spans, served.began_ns));
}

std::filesystem::path beside_store(const std::string& named) {
  return Store::file_of(store_place(named)).parent_path() / "serve";
}

// With what is read of the other options.
ServeRequest request_of(const ServeOptions& options) {
  ServeRequest request = options.asked;
  request.plan = options.plan.request;
  request.plan.cancelled = &interrupt_flag();
  request.percentile = options.plan.percentile;
  request.train = options.plan.train;
  request.infer = options.plan.infer;
  request.device = options.plan.device;
  request.data = options.plan.data;
  if (options.no_checkpoint) return request;
  request.shared_checkpoints = options.checkpoint.empty();
  request.checkpoints = request.shared_checkpoints ? beside_store(options.plan.store.place)
                                                   : std::filesystem::path(options.checkpoint);
  return request;
}

}  // namespace

bool ServeOptions::listens() const {
  return !http.listen.empty() || !http.token_file.empty() ||
         std::ranges::any_of(asked.arrivals, [](const ArrivalSpec& spec) {
           return spec.kind == ArrivalKind::http;
         });
}

ProfileSource profile_source(const std::vector<std::string>& files, Accepted accepted,
                             const StoreArguments& store) {
  ProfileSource source{.files = files};
  source.read = [accepted](const std::string& file, const std::string& workload, Phase phase) {
    return read_workload(file, workload, phase_name(phase), accepted);
  };
  if (!store.none) source.store = [place = store.place] { return open_stored(place); };
  return source;
}

Result<ServedRun> serve_networks(const ServeOptions& options) {
  if (!options.trace.empty()) FLYBALL_CHECK(check_writable(options.trace));
  ServeRequest request = request_of(options);
  FLYBALL_CHECK(request.check());
  FLYBALL_CHECK(check_names(request));
  std::optional<HttpOptions> http;
  if (options.listens()) {
    FLYBALL_ASSIGN(http, http_options(options.http));
  }
  if (!options.trace.empty()) request.most_spans = live_spans;
  FLYBALL_ASSIGN(const auto board, open_named_board(options.plan.device, options.plan.root));
  FLYBALL_ASSIGN(const auto measuring, begin_measuring(options.plan.measuring_options));
  // Each minibatch ends within the budget of the requests that wait for it.
  set_interrupt_patience(usual_interrupt_patience_s +
                         1e-3 * std::ranges::max(options.plan.request.latencies_ms));
  LiveSetup setup{
      .board = *board,
      .profiles = profile_source(options.profiles, options.plan.accepted, options.plan.store),
      .jobs = jobs_of(options.plan)};
  if (auto knobs = board->knobs(report_left); knobs.ok()) setup.knobs = *std::move(knobs);
  setup.computing = computing_board(board->info());
  if (http)
    setup.open_door = [&](const LiveFacts& facts) {
      return ServingEndpoint::open(*http, options.plan.infer, facts);
    };
  FLYBALL_ASSIGN(ServedRun served, serve_live(std::move(request), std::move(setup)));
  FLYBALL_CHECK(write_trace(options, served));
  return served;
}

Result<ServedRun> serve_tables(ServeOptions& options) {
  if (!options.trace.empty()) FLYBALL_CHECK(check_writable(options.trace));
  ServeRequest request = request_of(options);
  if (!options.trace.empty()) request.most_spans = simulated_spans;
  FLYBALL_ASSIGN(SharedBoard shared, open_shared_board(options.plan));
  FLYBALL_ASSIGN(const auto simulated, simulated_board(options.plan, shared));
  if (simulated && simulated->twin())
    request.plan.idle_w = simulated_idle(shared, *simulated->twin());
  FLYBALL_ASSIGN(
      ServedRun served,
      serve_simulated(request, std::move(shared),
                      profile_source(options.profiles, options.plan.accepted, options.plan.store)));
  FLYBALL_CHECK(write_trace(options, served));
  return served;
}

}  // namespace flyball::cli
