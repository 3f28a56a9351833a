// Inputs of a model whose metadata says what it takes.
#include <fmt/format.h>

#include <array>
#include <cctype>
#include <map>

#include "base/json.h"
#include "base/text.h"
#include "load/load_request.h"

namespace flyball {
namespace {

struct Datatype {
  const char* name;
  size_t bytes;
};
// Zeros of all of them are zero bytes.
constexpr std::array<Datatype, 13> datatypes = {{{"BOOL", 1},
                                                 {"UINT8", 1},
                                                 {"UINT16", 2},
                                                 {"UINT32", 4},
                                                 {"UINT64", 8},
                                                 {"INT8", 1},
                                                 {"INT16", 2},
                                                 {"INT32", 4},
                                                 {"INT64", 8},
                                                 {"FP16", 2},
                                                 {"BF16", 2},
                                                 {"FP32", 4},
                                                 {"FP64", 8}}};
constexpr int64_t most_elements = 64 << 20;
constexpr size_t most_bytes = size_t{256} << 20;

// A name as a segment of a path (RFC 3986, 2.3).
std::string path_segment(const std::string& name) {
  std::string segment;
  for (const char c : name)
    segment += std::isalnum(static_cast<unsigned char>(c)) ||
                       std::string_view("-._~").find(c) != std::string_view::npos
                   ? std::string(1, c)
                   : fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return segment;
}

using Shapes = std::map<std::string, std::vector<int64_t>>;

Result<Shapes> parse_shapes(const std::vector<std::string>& texts) {
  Shapes shapes;
  for (const std::string& text : texts) {
    const Error bad{Code::invalid_argument, "a --shape is not of the form NAME=1,3,224,224",
                    "name an input of the model and its dimensions, the batch's first"};
    const size_t equals = text.rfind('=');
    if (equals == std::string::npos || equals == 0) return bad;
    std::vector<int64_t>& shape = shapes[text.substr(0, equals)];
    for (const std::string& piece : split(text.substr(equals + 1), ',')) {
      const auto size = parse_integer(trim(piece));
      if (!size || *size < 1 || *size > most_elements) return bad;
      shape.push_back(*size);
    }
  }
  return shapes;
}

struct Input {
  std::string name, datatype;
  std::vector<int64_t> shape;
  size_t element_bytes = 0;
  size_t elements = 1;
};

Error no_metadata(const std::string& what) {
  return {Code::corrupt, "the model's metadata " + what,
          "see what GET /v2/models/NAME answers; a fixed request is sent with --protocol http "
          "--body FILE"};
}

Status size_input(Input& input, const std::string& model) {
  int64_t elements = 1;
  for (size_t i = 0; i < input.shape.size(); ++i) {
    if (input.shape[i] < 0 && i == 0) input.shape[i] = 1;
    if (input.shape[i] < 1)
      return Error{Code::invalid_argument,
                   fmt::format("the input {} of {} has dimensions that vary",
                               printable(input.name, 40), printable(model, 40)),
                   fmt::format("say them with --shape {}=1,…", printable(input.name, 40))};
    if (input.shape[i] > most_elements / elements) return no_metadata("has a shape without bound");
    elements *= input.shape[i];
  }
  input.elements = static_cast<size_t>(elements);
  return {};
}

Result<Input> read_input(const SortedJson& entry, const Shapes& shapes, const std::string& model) {
  if (!entry.is_object()) return no_metadata("has an input that is no object");
  Input input;
  input.name = entry.value("name", "");
  input.datatype = entry.value("datatype", "");
  for (const Datatype& known : datatypes)
    if (input.datatype == known.name) input.element_bytes = known.bytes;
  if (input.element_bytes == 0)
    return Error{
        Code::unavailable,
        fmt::format("loadtest makes no inputs of datatype '{}'", printable(input.datatype, 20)),
        "send a request of your own with --protocol http --body FILE"};
  if (const auto asked = shapes.find(input.name); asked != shapes.end()) {
    input.shape = asked->second;
  } else {
    const auto shape = entry.find("shape");
    if (shape == entry.end() || !shape->is_array() || shape->size() > 32)
      return no_metadata("has an input without a shape");
    for (const SortedJson& size : *shape)
      input.shape.push_back(size.is_number_integer() ? size.get<int64_t>() : -1);
  }
  FLYBALL_CHECK(size_input(input, model));
  return input;
}

Json data_of(const Input& input) {
  if (input.datatype == "BOOL") return Json(std::vector<bool>(input.elements));
  if (input.datatype.find('F') != std::string::npos)
    return Json(std::vector<double>(input.elements));
  return Json(std::vector<int>(input.elements));
}

std::string described(const std::vector<Input>& inputs) {
  std::vector<std::string> parts;
  for (const Input& input : inputs) {
    std::vector<std::string> sizes;
    for (const int64_t size : input.shape) sizes.push_back(std::to_string(size));
    parts.push_back(
        fmt::format("{} {} [{}]", printable(input.name, 40), input.datatype, join(sizes, ", ")));
  }
  return join(parts, "; ") + ", zeros";
}

}  // namespace

std::string model_path(const std::string& model) {
  return "/v2/models/" + path_segment(model);
}

Result<LoadRequest> oip_request(const SortedJson& metadata, bool binary, const LoadTarget& target,
                                const LoadRequestOptions& options) try {
  FLYBALL_ASSIGN(const Shapes shapes, parse_shapes(options.shapes));
  const auto listed = metadata.is_object() ? metadata.find("inputs") : metadata.end();
  if (!metadata.is_object() || listed == metadata.end() || !listed->is_array() || listed->empty() ||
      listed->size() > 256)
    return no_metadata("lists no inputs");
  LoadRequest request;
  request.protocol = LoadProtocol::oip;
  request.method = "POST";
  request.model = options.model.empty() ? model_of_path(target.path) : options.model;
  FLYBALL_ASSIGN(request.headers, request_headers(options));
  std::vector<Input> inputs;
  Json entries = Json::array();
  size_t bytes = 0;
  for (const SortedJson& entry : *listed) {
    FLYBALL_ASSIGN(const Input input, read_input(entry, shapes, request.model));
    Json sent{{"name", input.name}, {"shape", input.shape}, {"datatype", input.datatype}};
    const size_t size = input.elements * input.element_bytes;
    if (binary)
      sent["parameters"] = {{"binary_data_size", size}};
    else
      sent["data"] = data_of(input);
    if ((bytes += size) > most_bytes) return no_metadata("asks for more than 256 MiB of input");
    entries.push_back(std::move(sent));
    inputs.push_back(input);
  }
  Json document{{"inputs", std::move(entries)}};
  if (binary) document["parameters"] = {{"binary_data_output", true}};
  request.body = document.dump();
  if (binary) {
    request.headers.emplace_back("Inference-Header-Content-Length",
                                 std::to_string(request.body.size()));
    request.body.append(bytes, '\0');
  }
  request.headers.emplace_back("Content-Type",
                               binary ? "application/octet-stream" : "application/json");
  request.path = model_path(request.model) + "/infer";
  request.input = described(inputs);
  return request;
} catch (const SortedJson::exception&) {
  return no_metadata("has names or types that are no texts");
}

}  // namespace flyball
