#include "device/helper/messages.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/json.h"
#include "base/json_line.h"
#include "base/os/as_root.h"
#include "base/text.h"
#include "device/knobs/knob.h"

namespace flyball {
namespace {

using Kind = HelperRequest::Kind;

constexpr std::array<std::pair<const char*, Kind>, 10> kinds = {{
    {"describe", Kind::describe},
    {"claim", Kind::claim},
    {"apply", Kind::apply},
    {"preset", Kind::preset},
    {"pin_max", Kind::pin_max},
    {"restore", Kind::restore},
    {"keep", Kind::keep},
    {"restore_kept", Kind::restore_kept},
    {"release", Kind::release},
    {"alive", Kind::alive},
}};
constexpr size_t axes_limit = 16, name_limit = 64;

Error unreadable(const std::string& why) {
  return {Code::invalid_argument, "the helper cannot read this message: " + why,
          "docs/helper.md says what it reads"};
}

Error no_reply(const std::string& why) {
  return {Code::corrupt, "the helper answered what is no reply: " + why,
          "is it of this version of flyball? " + as_root("helper install")};
}

bool is_axis_name(const std::string& name) {
  return !name.empty() && name.size() <= name_limit && std::ranges::all_of(name, [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_';
  });
}

// Values by the names of axes; nothing where it holds anything else.
std::optional<Settings> parse_settings(const Json& json) {
  if (!json.is_object() || json.size() > axes_limit) return {};
  Settings settings;
  for (const auto& [name, value] : json.items()) {
    if (!is_axis_name(name) || !value.is_number() || !std::isfinite(value.get<double>())) return {};
    settings[name] = value.get<double>();
  }
  return settings;
}

// What a request may carry besides its kind: a mode, or the name of a preset.
const char* cargo_of(Kind kind) {
  if (kind == Kind::apply) return "mode";
  return kind == Kind::preset ? "name" : "";
}

Status read_cargo(const Json& cargo, HelperRequest& request) {
  if (request.kind == Kind::apply) {
    auto settings = parse_settings(cargo);
    if (!settings) return unreadable("\"mode\" is no object of numbers by names of axes");
    request.mode.values = *std::move(settings);
    return {};
  }
  if (cargo.is_string()) request.preset = cargo.get<std::string>();
  if (request.preset.empty() || request.preset.size() > name_limit ||
      !text_fault(request.preset).empty())
    return unreadable("\"name\" is no name of a preset");
  return {};
}

std::string line(const Json& json) {
  return json_line(json) + "\n";
}

Json parse_line(std::string_view text) {
  return Json::parse(text.begin(), text.end(), nullptr, false);
}

Code code_of(const std::string& name) {
  for (int code = 0; code <= static_cast<int>(last_code); ++code)
    if (name == code_name(static_cast<Code>(code))) return static_cast<Code>(code);
  return Code::internal;
}

// Throws where a key is missing or of another type, as what calls it expects.
Error parse_error(const Json& json) {
  return {code_of(json.at("code").get<std::string>()), json.at("message").get<std::string>(),
          json.at("hint").get<std::string>()};
}

// Throws likewise. The error is what the helper refused.
Result<Json> parse_reply(std::string_view text) {
  Json json = parse_line(text);
  if (!json.is_object()) return no_reply("it is no JSON object");
  if (json.at("flyball") != helper_protocol) return no_reply("it is of another version");
  if (!json.at("ok").get<bool>()) return parse_error(json.at("error"));
  return json;
}

HelperBoard parse_board_keys(const Json& json) {
  HelperBoard board;
  board.version = json.at("version").get<std::string>();
  board.root = json.at("root").get<std::string>();
  for (const Json& axis : json.at("axes")) {
    Axis read = named_axis(axis.at("name").get<std::string>(),
                           axis.at("values").get<std::vector<double>>());
    std::ranges::sort(read.values);
    if (is_axis_name(read.name) && !read.values.empty()) board.axes.push_back(std::move(read));
  }
  if (auto mode = parse_settings(json.at("default"))) board.baseline.values = *std::move(mode);
  // Earlier helpers tell the caps as the default alone.
  const auto optional = [&](const char* key) {
    const auto found = json.find(key);
    return found == json.end() ? std::nullopt : parse_settings(*found);
  };
  board.caps.values = optional("caps").value_or(board.baseline.values);
  board.stays_at = optional("stays_at").value_or(Settings());
  board.gaps = json.at("gaps").get<std::vector<std::string>>();
  if (!json.at("cannot_keep").is_null()) board.cannot_keep = parse_error(json.at("cannot_keep"));
  if (!json.at("holder").is_null()) board.holder = json.at("holder").get<std::string>();
  if (const auto kept = json.find("kept"); kept != json.end() && kept->is_string())
    board.kept = kept->get<std::string>();
  return board;
}

}  // namespace

Result<HelperRequest> parse_helper_request(std::string_view text) {
  if (text.size() > helper_request_bytes)
    return unreadable(fmt::format("it is longer than {} bytes", helper_request_bytes));
  const Json json = parse_line(text);
  if (!json.is_object()) return unreadable("it is no JSON object");
  const auto version = json.find("flyball"), what = json.find("do");
  if (version == json.end() || !version->is_number_integer() || *version != helper_protocol)
    return Error{Code::invalid_argument,
                 fmt::format("this helper speaks version {} of its protocol alone, as \"flyball\"",
                             helper_protocol),
                 "have the same flyball on both sides: " + as_root_elsewhere("helper install")};
  if (what == json.end() || !what->is_string()) return unreadable("\"do\" is missing");
  HelperRequest request;
  const auto name = what->get<std::string>();
  const auto* const known =
      std::ranges::find_if(kinds, [&](const auto& kind) { return name == kind.first; });
  if (known == kinds.end()) return unreadable("it does nothing that \"do\" may name");
  request.kind = known->second;
  const std::string cargo = cargo_of(request.kind);
  const auto carried = json.find(cargo);
  if (json.size() != (cargo.empty() ? 2U : 3U) || (!cargo.empty() && carried == json.end()))
    return unreadable(cargo.empty() ? "it has further keys"
                                    : fmt::format("{} takes \"{}\" and nothing else", name, cargo));
  if (!cargo.empty()) FLYBALL_CHECK(read_cargo(*carried, request));
  return request;
}

std::string helper_request_line(const HelperRequest& request) {
  const auto* const known =
      std::ranges::find(kinds, request.kind, [](auto& k) { return k.second; });
  Json json{{"flyball", helper_protocol}, {"do", known->first}};
  if (request.kind == Kind::apply) json["mode"] = request.mode.values;
  if (request.kind == Kind::preset) json["name"] = request.preset;
  return line(json);
}

std::string helper_done_line() {
  return line({{"flyball", helper_protocol}, {"ok", true}});
}

std::string helper_error_line(const Error& error) {
  return line({{"flyball", helper_protocol}, {"ok", false}, {"error", to_json(error)}});
}

std::string helper_board_line(const HelperBoard& board) {
  Json axes = Json::array();
  for (const Axis& axis : board.axes)
    axes.push_back({{"name", axis.name}, {"values", axis.values}});
  return line({{"flyball", helper_protocol},
               {"ok", true},
               {"version", board.version},
               {"root", board.root.string()},
               {"axes", std::move(axes)},
               {"default", board.baseline.values},
               {"caps", board.caps.values},
               {"stays_at", board.stays_at},
               {"gaps", board.gaps},
               {"cannot_keep", board.cannot_keep ? to_json(*board.cannot_keep) : Json(nullptr)},
               {"holder", board.holder.empty() ? Json(nullptr) : Json(board.holder)},
               {"kept", board.kept.empty() ? Json(nullptr) : Json(board.kept)}});
}

std::string helper_restored_line(size_t settings) {
  return line({{"flyball", helper_protocol}, {"ok", true}, {"restored", settings}});
}

Status parse_helper_done(std::string_view text) {
  try {
    const auto reply = parse_reply(text);
    return reply ? Status() : Status(reply.error());
  } catch (const Json::exception& fault) {
    return no_reply(fault.what());
  }
}

Result<HelperBoard> parse_helper_board(std::string_view text) {
  try {
    FLYBALL_ASSIGN(const Json reply, parse_reply(text));
    return parse_board_keys(reply);
  } catch (const Json::exception& fault) {
    return no_reply(fault.what());
  }
}

Result<size_t> parse_helper_restored(std::string_view text) {
  try {
    FLYBALL_ASSIGN(const Json reply, parse_reply(text));
    return reply.at("restored").get<size_t>();
  } catch (const Json::exception& fault) {
    return no_reply(fault.what());
  }
}

Status check_mode(const std::vector<Axis>& axes, const PowerMode& mode) {
  for (const auto& [name, value] : mode.values) {
    const Axis* axis = find_axis(axes, name);
    if (!axis)
      return Error{Code::invalid_argument, fmt::format("this machine has no axis '{}'", name),
                   "`flyball devices` lists its axes"};
    FLYBALL_CHECK(check_value(*axis, value));
  }
  return {};
}

bool LineBuffer::too_long() const {
  return std::min(bytes_.find('\n'), bytes_.size()) > limit_;
}

std::optional<std::string> LineBuffer::take() {
  const size_t end = bytes_.find('\n');
  if (end == std::string::npos) return {};
  std::string line = bytes_.substr(0, end);
  bytes_.erase(0, end + 1);
  return line;
}

}  // namespace flyball
