#include "load/stream_reader.h"

#include <algorithm>
#include <limits>

#include "base/json.h"
#include "base/text.h"

namespace flyball {
namespace {

const SortedJson* member(const SortedJson& object, const char* name) {
  if (!object.is_object()) return nullptr;
  const auto found = object.find(name);
  return found == object.end() ? nullptr : &*found;
}

bool has_text(const SortedJson* holder, const char* name) {
  const SortedJson* text = holder ? member(*holder, name) : nullptr;
  return text && text->is_string() && !text->get_ref<const std::string&>().empty();
}

// Content of a chat's delta or message; reasoning is content that a user waits for as well.
bool has_content(const SortedJson& choice) {
  if (has_text(&choice, "text")) return true;
  for (const char* part : {"delta", "message"}) {
    const SortedJson* holder = member(choice, part);
    for (const char* name : {"content", "reasoning_content", "reasoning", "refusal"})
      if (has_text(holder, name)) return true;
    const SortedJson* calls = holder ? member(*holder, "tool_calls") : nullptr;
    if (calls && calls->is_array() && !calls->empty()) return true;
  }
  return false;
}

int32_t usage_tokens(const SortedJson& document) {
  const SortedJson* usage = member(document, "usage");
  const SortedJson* tokens = usage ? member(*usage, "completion_tokens") : nullptr;
  if (!tokens || !tokens->is_number_integer()) return -1;
  const auto count = tokens->get<int64_t>();
  return count >= 0 && count <= std::numeric_limits<int32_t>::max() ? static_cast<int32_t>(count)
                                                                    : -1;
}

std::string error_text(const SortedJson& error) {
  if (error.is_string()) return error.get<std::string>();
  const SortedJson* message = member(error, "message");
  return message && message->is_string() ? message->get<std::string>() : "an error";
}

}  // namespace

bool EventReader::add(std::string_view bytes, const Listener& listener) {
  for (const char c : bytes) {
    if (c == '\n' && after_return_) {
      after_return_ = false;
      continue;
    }
    after_return_ = c == '\r';
    if (c == '\n' || c == '\r') {
      if (!end_line(listener)) return false;
      continue;
    }
    if (line_.size() + data_.size() >= most_event_bytes) return false;
    line_ += c;
  }
  return true;
}

bool EventReader::end_line(const Listener& listener) {
  const std::string line = std::move(line_);
  line_.clear();
  if (line.empty()) {
    if (!has_data_) return true;
    has_data_ = false;
    const std::string data = std::move(data_);
    data_.clear();
    return listener(data);
  }
  std::string_view text = line;
  if (text != "data" && !text.starts_with("data:")) return true;
  text.remove_prefix(std::min<size_t>(text.size(), 5));
  if (text.starts_with(' ')) text.remove_prefix(1);
  if (data_.size() + text.size() >= most_event_bytes) return false;
  if (has_data_) data_ += '\n';
  data_ += text;
  has_data_ = true;
  return true;
}

bool TokenReader::add_event(std::string_view data, int64_t now_ns) {
  if (trim(data) == "[DONE]") {
    ended_ = true;
    return true;
  }
  return read(data, now_ns, false);
}

bool TokenReader::add_whole(std::string_view body, int64_t now_ns) {
  return read(body, now_ns, true);
}

bool TokenReader::read(std::string_view text, int64_t now_ns, bool whole) {
  const SortedJson document = SortedJson::parse(text, nullptr, false);
  if (!document.is_object()) {
    fault_ = "not JSON: " + printable(text);
    return false;
  }
  if (const SortedJson* error = member(document, "error"); error && !error->is_null()) {
    fault_ = "the server said: " + printable(error_text(*error));
    return false;
  }
  usage_ = std::max(usage_, usage_tokens(document));
  const SortedJson* choices = member(document, "choices");
  const bool listed = choices && choices->is_array();
  if (whole && !listed) fault_ = "no choices: " + printable(text);
  if (!listed) return !whole;
  for (const SortedJson& choice : *choices) {
    const SortedJson* reason = member(choice, "finish_reason");
    ended_ = ended_ || whole || (reason && reason->is_string());
    if (!has_content(choice)) continue;
    if (first_ns_ < 0) first_ns_ = now_ns;
    last_ns_ = now_ns;
    if (!whole) ++chunks_;
  }
  return true;
}

int32_t TokenReader::tokens() const {
  if (usage_ >= 0) return usage_;
  return chunks_ > 0 ? chunks_ : -1;
}

}  // namespace flyball
