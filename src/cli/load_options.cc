#include "cli/load_options.h"

#include <fmt/format.h>

#include "cli/quantities.h"

namespace flyball::cli {

AddedOptions add_load_options(CLI::App& command, LoadArguments& arguments) {
  arguments.command = &command;
  LoadRequestOptions& request = arguments.request;
  AddedOptions added{
      command.add_option("--protocol", arguments.protocol,
                         "What the server speaks: oip, openai-chat, openai-completions or http; "
                         "default: told by the "
                         "URL, of tune asked of the server where that has no path"),
      command.add_option("--model", request.model, "Model that requests name"),
      command.add_option("--arrivals", arguments.arrivals,
                         "When requests are due: poisson:30, constant:30, trace:FILE, "
                         "windows:30:10min,60:10min"),
      command.add_option("--rate", arguments.rate_hz,
                         "Requests per second: of --arrivals poisson or constant, alone poisson"),
      add_duration(
          command, "--timeout", [&arguments](Seconds time) { arguments.timeout_s = time.value; },
          "A request without its whole answer so long after it was due has failed; default: 1min",
          {1e-3, 86400, "1ms to 24h"}),
      command
          .add_option("--connections", arguments.connections,
                      "Connections at most; a request that finds all of them busy waits")
          ->check(CLI::Range(1, 4096))
          ->capture_default_str(),
      command
          .add_option("--shape", request.shapes,
                      "Shape of an input whose dimensions vary, of oip: NAME=1,3,224,224")
          ->allow_extra_args(false),
      command.add_option("--prompt", request.prompt, "What is asked, of openai-*")
          ->capture_default_str(),
      command.add_option("--max-tokens", request.max_tokens, "Tokens in an answer, of openai-*")
          ->check(CLI::Range(1, 1000000))
          ->capture_default_str(),
      command.add_flag("--no-stream", arguments.no_stream,
                       "Ask for answers in one piece, of openai-*"),
      command.add_option("--body", request.body, "File that each request carries, of http")
          ->check(CLI::ExistingFile),
      command.add_option("--method", request.method,
                         "Method, of http; default: POST with a body, GET without"),
      command.add_option("--content-type", request.content_type, "Content type of the --body")
          ->capture_default_str(),
      command
          .add_option("--key-from", request.key_from,
                      "Environment variable with the bearer token, such as OPENAI_API_KEY")
          ->option_text("NAME")};
  return added;
}

Result<ArrivalSpec> load_arrivals(const LoadArguments& arguments) {
  std::string text = arguments.arrivals;
  if (text.empty() && arguments.rate_hz) text = "poisson";
  if (text.empty() || text == "http")
    return Error{Code::invalid_argument, "there is no load: it is not said when requests are due",
                 "--rate 30, or --arrivals poisson:30, constant:30, trace:FILE or "
                 "windows:30:10min,60:10min"};
  const bool takes_rate = text == "poisson" || text == "constant";
  if (arguments.rate_hz && !takes_rate)
    return Error{Code::invalid_argument,
                 fmt::format("--rate says nothing beside --arrivals {}", text),
                 "leave it out, or write --arrivals poisson"};
  if (arguments.rate_hz) text += fmt::format(":{:.12g}", *arguments.rate_hz);
  return parse_arrivals(text);
}

namespace {

// An option that means something to some protocols alone.
struct OfProtocol {
  const char* name;
  bool (*takes)(LoadProtocol protocol);
  const char* where;
  void (*forget)(LoadRequestOptions& request);  ///< as if it were not named
};

bool is_http(LoadProtocol protocol) {
  return protocol == LoadProtocol::http;
}
bool is_oip(LoadProtocol protocol) {
  return protocol == LoadProtocol::oip;
}

constexpr const char* of_http = "--protocol http";
constexpr const char* of_openai = "--protocol openai-chat and openai-completions";

const OfProtocol of_protocols[] = {
    {"--body", is_http, of_http, [](LoadRequestOptions& request) { request.body.clear(); }},
    {"--method", is_http, of_http, [](LoadRequestOptions& request) { request.method.clear(); }},
    {"--content-type", is_http, of_http,
     [](LoadRequestOptions& request) { request.content_type = LoadRequestOptions().content_type; }},
    {"--shape", is_oip, "--protocol oip",
     [](LoadRequestOptions& request) { request.shapes.clear(); }},
    {"--no-stream", answers_in_tokens, of_openai, [](LoadRequestOptions&) {}},
    {"--prompt", answers_in_tokens, of_openai,
     [](LoadRequestOptions& request) { request.prompt = LoadRequestOptions().prompt; }},
    {"--max-tokens", answers_in_tokens, of_openai,
     [](LoadRequestOptions& request) { request.max_tokens = LoadRequestOptions().max_tokens; }}};

bool is_typed(const LoadArguments& arguments, const char* name) {
  return given(*arguments.command->get_option(name));
}

}  // namespace

Result<LoadArguments> load_of_protocol(LoadArguments arguments, LoadProtocol protocol) {
  LoadRequestOptions& request = arguments.request;
  for (const OfProtocol& one : of_protocols) {
    if (one.takes(protocol)) continue;
    if (is_typed(arguments, one.name))
      return Error{
          Code::invalid_argument,
          fmt::format("{} means nothing to the protocol {}", one.name, protocol_name(protocol)),
          fmt::format("leave it out: it is for {}", one.where)};
    one.forget(request);
  }
  if (!answers_in_tokens(protocol)) arguments.no_stream = false;
  if (request.body.empty() && is_typed(arguments, "--content-type"))
    return Error{Code::invalid_argument, "--content-type says nothing without a --body",
                 "leave it out, or name the file that requests carry: --body FILE"};
  if (!is_http(protocol) || request.model.empty()) return arguments;
  // Left out, the load would be that of another path than the model's.
  if (is_typed(arguments, "--model"))
    return Error{Code::invalid_argument, "--model means nothing to the protocol http",
                 "--protocol oip asks for it as the Open Inference Protocol does (openai-chat and "
                 "openai-completions likewise); plain http asks for the URL's path alone"};
  request.model.clear();
  return arguments;
}

}  // namespace flyball::cli
