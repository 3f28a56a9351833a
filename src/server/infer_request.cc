#include "server/infer_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

#include "base/json.h"
#include "base/json_line.h"
#include "base/text.h"

namespace flyball {
namespace {

constexpr int64_t most_of_any_size = 1 << 16;  // numbers in a dimension of any size
constexpr int deepest = 16;  // brackets within brackets: a batch of six dimensions, and some

Error wrong(const std::string& message) {
  return {Code::invalid_argument, message, ""};
}

// How many numbers a sound request may hold at most, so that none makes us hold more.
size_t most_numbers(const ServiceInfo& service) {
  size_t numbers = 4096;
  for (const TensorSpec& input : service.inputs) {
    size_t elements = static_cast<size_t>(service.largest_batch);
    for (const int64_t size : input.shape)
      elements *= static_cast<size_t>(size < 0 ? most_of_any_size : size);
    numbers += elements;
  }
  return numbers;
}

// Before a parser builds anything: brackets are not nested without end, and commas are as many as a
// request may hold.
Status check_extent(std::string_view text, size_t numbers, int64_t samples) {
  int depth = 0;
  size_t commas = 0;
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (quoted) {
      if (c == '\\') ++i;
      quoted = c != '"';
    } else if (c == '"') {
      quoted = true;
    } else if (c == '[' || c == '{') {
      if (++depth > deepest) return wrong("the JSON is nested too deeply");
    } else if (c == ']' || c == '}') {
      --depth;
    } else if (c == ',') {
      ++commas;
    }
  }
  if (commas <= numbers) return {};
  return wrong(fmt::format(
      "the JSON holds more numbers than a request of {} samples, which is the largest", samples));
}

// NaN or Infinity, as writers of JSON spell them that should not: the first outside of strings.
std::string_view number_that_is_none(std::string_view text) {
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') quoted = !quoted;
    if (quoted && text[i] == '\\') ++i;
    if (quoted || i >= text.size() ||
        std::string_view("NnIi-").find(text[i]) == std::string_view::npos)
      continue;
    for (const std::string_view word : {"NaN", "nan", "Infinity", "-Infinity", "inf", "-inf"})
      if (text.substr(i).starts_with(word)) return word;
  }
  return {};
}

Result<SortedJson> parse_header(std::string_view text, const ServiceInfo& service) {
  FLYBALL_CHECK(check_extent(text, most_numbers(service), service.largest_batch));
  SortedJson json;
  try {
    json = SortedJson::parse(text.begin(), text.end());
  } catch (const SortedJson::out_of_range&) {
    return wrong("the body holds a number beyond what a double can hold");
  } catch (const SortedJson::parse_error& error) {
    if (const std::string_view word = number_that_is_none(text); !word.empty())
      return wrong(fmt::format("the body holds {}, which is no number of JSON", word));
    return wrong(error.byte > text.size()
                     ? "the body is no JSON: it ends too early"
                     : fmt::format("the body is no JSON: byte {} is wrong", error.byte));
  }
  if (!json.is_object()) return wrong("the body is no JSON object");
  return json;
}

const SortedJson* member(const SortedJson& json, const char* key) {
  const auto found = json.find(key);
  return found == json.end() ? nullptr : &*found;
}

Result<std::string> text_of(const SortedJson& json, const char* key, const std::string& of) {
  const SortedJson* value = member(json, key);
  if (!value || !value->is_string()) return wrong(fmt::format("{} has no {}", of, key));
  return value->get<std::string>();
}

Result<bool> flag_of(const SortedJson& json, const char* key) {
  const SortedJson* parameters = member(json, "parameters");
  if (!parameters) return false;
  if (!parameters->is_object()) return wrong("parameters are no object");
  const SortedJson* value = member(*parameters, key);
  if (!value) return false;
  if (!value->is_boolean())
    return wrong(fmt::format("parameter {} is neither true nor false", key));
  return value->get<bool>();
}

size_t count_numbers(const SortedJson& value) {
  if (!value.is_array()) return 1;
  size_t count = 0;
  for (const SortedJson& inner : value) count += count_numbers(inner);
  return count;
}

// Numbers of one input, appended as they come.
class Numbers {
 public:
  explicit Numbers(StoredTensor& tensor) : tensor_(tensor) {}

  Status take(const SortedJson& value) {
    if (value.is_array()) {
      for (const SortedJson& inner : value) FLYBALL_CHECK(take(inner));
      return {};
    }
    switch (tensor_.dtype) {
      case DType::float32:
        return real<float>(value);
      case DType::float64:
        return real<double>(value);
      case DType::int64:
        return whole<int64_t>(value);
      case DType::int32:
        return whole<int32_t>(value);
      case DType::uint8:
        return whole<uint8_t>(value);
      case DType::boolean:
        break;
    }
    if (!value.is_boolean()) return refuse(value);
    return append(static_cast<uint8_t>(value.get<bool>()));
  }

 private:
  Status refuse(const SortedJson& value) const {
    return wrong(fmt::format("input {}: {} is no {}", tensor_.name,
                             value.is_number() ? value.dump() : std::string(value.type_name()),
                             datatype_name(tensor_.dtype)));
  }
  template <class T>
  Status append(T number) {
    tensor_.bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
    return {};
  }
  template <class T>
  Status real(const SortedJson& value) {
    if (!value.is_number()) return refuse(value);
    const double number = value.get<double>();
    if (!(std::abs(number) <= static_cast<double>(std::numeric_limits<T>::max())))
      return refuse(value);
    return append(static_cast<T>(number));
  }
  template <class T>
  Status whole(const SortedJson& value) {
    if (value.is_number_unsigned()) {
      const auto number = value.get<uint64_t>();
      if (number > static_cast<uint64_t>(std::numeric_limits<T>::max())) return refuse(value);
      return append(static_cast<T>(number));
    }
    if (!value.is_number_integer()) return refuse(value);
    const auto number = value.get<int64_t>();
    if (number < static_cast<int64_t>(std::numeric_limits<T>::min())) return refuse(value);
    return append(static_cast<T>(number));
  }

  StoredTensor& tensor_;
};

template <class T>
bool all_finite(const std::string& bytes) {
  for (size_t i = 0; i + sizeof(T) <= bytes.size(); i += sizeof(T)) {
    T number;
    std::memcpy(&number, bytes.data() + i, sizeof number);
    if (!std::isfinite(number)) return false;
  }
  return true;
}

bool is_finite(const StoredTensor& tensor) {
  return tensor.dtype == DType::float32   ? all_finite<float>(tensor.bytes)
         : tensor.dtype == DType::float64 ? all_finite<double>(tensor.bytes)
                                          : true;
}

Status check_numbers(const StoredTensor& tensor) {
  if (!is_finite(tensor))
    return wrong(fmt::format("input {} holds NaN or an infinity", tensor.name));
  const auto no_flag = [](char c) { return c != 0 && c != 1; };
  if (tensor.dtype == DType::boolean && std::ranges::any_of(tensor.bytes, no_flag))
    return wrong(fmt::format("input {}: a BOOL is a byte of 0 or 1", tensor.name));
  return {};
}

// "[3,224,224]", with −1 for any size.
std::string shape_text(const TensorShape& shape, bool batch) {
  std::string text = batch ? "[-1" : "[";
  for (const int64_t size : shape) text += (text.size() > 1 ? "," : "") + std::to_string(size);
  return text + "]";
}

Result<TensorShape> read_shape(const SortedJson& input, const TensorSpec& spec,
                               int64_t largest_batch) {
  const SortedJson* sizes = member(input, "shape");
  const std::string expected = shape_text(spec.shape, true);
  if (!sizes || !sizes->is_array())
    return wrong(fmt::format("input {} has no shape: {} is expected", spec.name, expected));
  const bool rank_fits = sizes->size() == spec.shape.rank() + 1;
  TensorShape shape;
  for (size_t d = 0; rank_fits && d < sizes->size(); ++d) {
    const SortedJson& size = (*sizes)[d];
    const bool any = d == 0 || spec.shape[d - 1] < 0;
    if (any && size.is_number_integer() &&
        (size.get<int64_t>() < 1 || size.get<int64_t>() > most_of_any_size))
      return wrong(fmt::format("input {} has shape {}: {} {} are none that it takes (1 to {})",
                               spec.name, sizes->dump(), size.get<int64_t>(),
                               d == 0 ? "samples" : "of a dimension",
                               d == 0 ? largest_batch : most_of_any_size));
    if (!size.is_number_integer() || (!any && size.get<int64_t>() != spec.shape[d - 1]))
      return wrong(fmt::format("input {} has shape {} where {} is expected", spec.name,
                               sizes->dump(), expected));
    shape.append(size.get<int64_t>());
  }
  if (!rank_fits)
    return wrong(fmt::format("input {} has shape {} where {} is expected", spec.name, sizes->dump(),
                             expected));
  if (shape[0] > largest_batch)
    return wrong(fmt::format("input {} holds {} samples; a request may hold {}", spec.name,
                             shape[0], largest_batch));
  return shape;
}

class RequestReader {
 public:
  RequestReader(const ServiceInfo& service, std::string_view binary)
      : service_(service), binary_(binary) {}

  Result<InferCall> read(const SortedJson& json) {
    InferCall call;
    if (const SortedJson* id = member(json, "id")) {
      if (!id->is_string()) return wrong("id is no string");
      call.id = id->get<std::string>();
    }
    const SortedJson* inputs = member(json, "inputs");
    if (!inputs || !inputs->is_array()) return wrong("there are no inputs");
    for (const SortedJson& input : *inputs) FLYBALL_CHECK(add_input(input, call));
    for (const TensorSpec& spec : service_.inputs)
      if (std::ranges::find(call.inputs, spec.name, &StoredTensor::name) == call.inputs.end())
        return wrong(fmt::format("input {} is missing", spec.name));
    if (!binary_.empty()) return wrong("there are bytes behind the last input");
    FLYBALL_ASSIGN(call.binary, flag_of(json, "binary_data_output"));
    FLYBALL_CHECK(add_outputs(json, call));
    return call;
  }

 private:
  Status add_input(const SortedJson& input, InferCall& call) {
    if (!input.is_object()) return wrong("an input is no object");
    FLYBALL_ASSIGN(const std::string name, text_of(input, "name", "an input"));
    const auto spec = std::ranges::find(service_.inputs, name, &TensorSpec::name);
    if (spec == service_.inputs.end())
      return wrong(fmt::format("{} has no input '{}'; it takes {}", service_.name, name, names()));
    if (std::ranges::find(call.inputs, name, &StoredTensor::name) != call.inputs.end())
      return wrong(fmt::format("input {} is given twice", name));
    FLYBALL_ASSIGN(const std::string datatype, text_of(input, "datatype", "input " + name));
    if (datatype != datatype_name(spec->dtype))
      return wrong(fmt::format("input {} is {} where {} is expected", name, datatype,
                               datatype_name(spec->dtype)));
    FLYBALL_ASSIGN(const TensorShape shape, read_shape(input, *spec, service_.largest_batch));
    if (!call.inputs.empty() && shape[0] != call.samples)
      return wrong(fmt::format("input {} holds {} samples, input {} {}", name, shape[0],
                               call.inputs.front().name, call.samples));
    call.samples = shape[0];
    StoredTensor tensor{name, spec->dtype, shape, ""};
    FLYBALL_CHECK(read_data(input, tensor));
    FLYBALL_CHECK(check_numbers(tensor));
    call.inputs.push_back(std::move(tensor));
    return {};
  }

  std::string names() const {
    std::vector<std::string> all;
    for (const TensorSpec& input : service_.inputs) all.push_back(input.name);
    return join(all, ", ");
  }

  Status read_data(const SortedJson& input, StoredTensor& tensor) {
    const size_t elements = static_cast<size_t>(tensor.shape.elements());
    const SortedJson* parameters = member(input, "parameters");
    const SortedJson* bytes =
        parameters && parameters->is_object() ? member(*parameters, "binary_data_size") : nullptr;
    if (bytes) return take_binary(*bytes, elements * dtype_bytes(tensor.dtype), tensor);
    const SortedJson* data = member(input, "data");
    if (!data || !data->is_array())
      return wrong(fmt::format("input {} has neither data nor binary_data_size", tensor.name));
    if (const size_t count = count_numbers(*data); count != elements)
      return wrong(fmt::format("input {} holds {} numbers where its shape says {}", tensor.name,
                               count, elements));
    tensor.bytes.reserve(elements * dtype_bytes(tensor.dtype));
    return Numbers(tensor).take(*data);
  }

  Status take_binary(const SortedJson& size, size_t expected, StoredTensor& tensor) {
    if (!size.is_number_unsigned() || size.get<uint64_t>() != expected)
      return wrong(fmt::format("input {}: binary_data_size {} where its shape says {}", tensor.name,
                               size.dump(), expected));
    if (binary_.size() < expected)
      return wrong(fmt::format("input {}: {} bytes follow the JSON where {} are announced",
                               tensor.name, binary_.size(), expected));
    tensor.bytes = binary_.substr(0, expected);
    binary_.remove_prefix(expected);
    return {};
  }

  Status add_outputs(const SortedJson& json, InferCall& call) const {
    const SortedJson* outputs = member(json, "outputs");
    if (!outputs) return {};
    if (!outputs->is_array()) return wrong("outputs are no array");
    for (const SortedJson& output : *outputs) {
      if (!output.is_object()) return wrong("an output is no object");
      FLYBALL_ASSIGN(const std::string name, text_of(output, "name", "an output"));
      if (std::ranges::find(service_.outputs, name, &TensorSpec::name) == service_.outputs.end())
        return wrong(fmt::format("{} has no output '{}'", service_.name, name));
      if (std::ranges::find(call.outputs, name, &WantedOutput::name) != call.outputs.end())
        return wrong(fmt::format("output {} is asked for twice", name));
      FLYBALL_ASSIGN(const bool binary, flag_of(output, "binary_data"));
      call.outputs.push_back({name, binary});
    }
    return {};
  }

  const ServiceInfo& service_;
  std::string_view binary_;
};

// Shortest text that reads back to the same number.
template <class T>
void append_numbers(const StoredTensor& tensor, std::string& text) {
  for (size_t i = 0; i + sizeof(T) <= tensor.bytes.size(); i += sizeof(T)) {
    T number;
    std::memcpy(&number, tensor.bytes.data() + i, sizeof number);
    if (i > 0) text += ',';
    fmt::format_to(std::back_inserter(text), "{}", number);
  }
}

void append_data(const StoredTensor& tensor, std::string& text) {
  switch (tensor.dtype) {
    case DType::float32:
      return append_numbers<float>(tensor, text);
    case DType::float64:
      return append_numbers<double>(tensor, text);
    case DType::int64:
      return append_numbers<int64_t>(tensor, text);
    case DType::int32:
      return append_numbers<int32_t>(tensor, text);
    case DType::uint8:
      return append_numbers<uint8_t>(tensor, text);
    case DType::boolean:
      break;
  }
  for (size_t i = 0; i < tensor.bytes.size(); ++i)
    text += std::string(i > 0 ? "," : "") + (tensor.bytes[i] != 0 ? "true" : "false");
}

// Of one number and the comma behind it.
size_t longest_text(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return sizeof "-1234567900000000";  // longer than with an exponent
    case DType::float64:
      return sizeof "-2.2250738585072014e-308";
    case DType::int64:
      return sizeof "-9223372036854775808";
    case DType::int32:
      return sizeof "-2147483648";
    case DType::uint8:
      return sizeof "255";
    case DType::boolean:
      break;
  }
  return sizeof "false";
}

enum class Told { not_at_all, as_json, as_bytes };

Told how_told(const InferCall& call, const std::string& output) {
  const auto wanted = std::ranges::find(call.outputs, output, &WantedOutput::name);
  const bool is_wanted = wanted != call.outputs.end();
  if (!call.outputs.empty() && !is_wanted) return Told::not_at_all;
  return call.binary || (is_wanted && wanted->binary) ? Told::as_bytes : Told::as_json;
}

}  // namespace

const char* datatype_name(DType dtype) {
  switch (dtype) {
    case DType::float32:
      return "FP32";
    case DType::float64:
      return "FP64";
    case DType::int64:
      return "INT64";
    case DType::int32:
      return "INT32";
    case DType::uint8:
      return "UINT8";
    case DType::boolean:
      break;
  }
  return "BOOL";
}

Result<InferCall> read_infer(const ServiceInfo& service, std::string_view body,
                             const std::optional<std::string>& header_length) {
  size_t length = body.size();
  if (header_length) {
    const char* end = header_length->data() + header_length->size();
    const auto [stop, error] = std::from_chars(header_length->data(), end, length);
    if (error != std::errc() || stop != end || length > body.size())
      return wrong(
          fmt::format("Inference-Header-Content-Length {} is no length within a body of {} "
                      "bytes",
                      *header_length, body.size()));
  }
  FLYBALL_ASSIGN(const SortedJson json, parse_header(body.substr(0, length), service));
  return RequestReader(service, body.substr(length)).read(json);
}

Status check_told(const InferCall& call, const std::vector<StoredTensor>& outputs) {
  for (const StoredTensor& output : outputs)
    if (how_told(call, output.name) == Told::as_json && !is_finite(output))
      return Error{Code::internal,
                   fmt::format("output {} holds NaN or an infinity, which JSON has no word for; "
                               "ask for binary data",
                               output.name),
                   ""};
  return {};
}

size_t most_told_bytes(const ServiceInfo& service, const InferCall& call,
                       const std::vector<StoredTensor>& outputs) {
  constexpr size_t words = 256;  // of the head, and around each output's numbers
  size_t bytes = words + service.name.size() + 6 * call.id.size();  // escaped, a byte is \u0001
  for (const StoredTensor& output : outputs) {
    const Told told = how_told(call, output.name);
    if (told == Told::not_at_all) continue;
    bytes += words + 6 * output.name.size() + 24 * output.shape.rank();
    bytes += told == Told::as_bytes
                 ? output.bytes.size()
                 : output.bytes.size() / dtype_bytes(output.dtype) * longest_text(output.dtype);
  }
  return bytes;
}

Result<InferBody> write_infer(const ServiceInfo& service, const InferCall& call,
                              const std::vector<StoredTensor>& outputs) {
  FLYBALL_CHECK(check_told(call, outputs));
  Json head = {{"model_name", service.name}, {"model_version", "1"}};
  if (!call.id.empty()) head["id"] = call.id;
  InferBody body;
  body.bytes = json_line(head);
  body.bytes.back() = ',';
  // Numbers go straight into the text: as a tree each would take many times its four bytes.
  body.bytes += "\"outputs\":[";
  std::string binary;
  bool first = true;
  for (const StoredTensor& output : outputs) {
    const Told told = how_told(call, output.name);
    if (told == Told::not_at_all) continue;
    fmt::format_to(std::back_inserter(body.bytes), R"({}{{"name":{},"shape":{},"datatype":"{}",)",
                   first ? "" : ",", Json(output.name).dump(), shape_text(output.shape, false),
                   datatype_name(output.dtype));
    first = false;
    if (told == Told::as_bytes) {
      fmt::format_to(std::back_inserter(body.bytes), R"("parameters":{{"binary_data_size":{}}}}})",
                     output.bytes.size());
      binary += output.bytes;
      continue;
    }
    body.bytes += "\"data\":[";
    append_data(output, body.bytes);
    body.bytes += "]}";
  }
  body.bytes += "]}";
  if (!binary.empty()) {
    body.header_length = body.bytes.size();
    body.bytes += binary;
  }
  return body;
}

}  // namespace flyball
