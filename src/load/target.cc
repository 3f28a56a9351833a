#include "load/target.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/text.h"

namespace flyball {
namespace {

constexpr std::array<std::pair<LoadProtocol, const char*>, 4> protocols = {
    {{LoadProtocol::oip, "oip"},
     {LoadProtocol::openai_chat, "openai-chat"},
     {LoadProtocol::openai_completions, "openai-completions"},
     {LoadProtocol::http, "http"}}};

constexpr const char* url_example = "write it as http://127.0.0.1:8000/v1/chat/completions";

Error bad_url(const std::string& text) {
  const bool shown = text_fault(text).empty() && text.find('@') == std::string::npos;
  return {Code::invalid_argument, fmt::format("'{}' is not a URL", shown ? text : "?"),
          url_example};
}

// What stands before the path: HOST, HOST:PORT, [ADDRESS]:PORT.
Status read_authority(const std::string& text, LoadTarget& target) {
  const size_t bracket = text.starts_with('[') ? text.find(']') : 0;
  if (bracket == std::string::npos) return bad_url(text);
  const size_t colon = text.find(':', bracket);
  target.host = bracket > 0 ? text.substr(1, bracket - 1) : text.substr(0, colon);
  target.port = colon == std::string::npos ? "80" : text.substr(colon + 1);
  const auto port = parse_integer(target.port);
  const bool digits = std::ranges::all_of(target.port, [](char c) { return c >= '0' && c <= '9'; });
  if (target.host.empty() || !digits || !port || *port < 1 || *port > 65535) return bad_url(text);
  return {};
}

LoadProtocol protocol_of(const std::string& path) {
  const std::string plain = path.substr(0, path.find('?'));
  if (plain.ends_with("/chat/completions")) return LoadProtocol::openai_chat;
  if (plain.ends_with("/completions")) return LoadProtocol::openai_completions;
  if (plain == "/v2" || plain.starts_with("/v2/")) return LoadProtocol::oip;
  return LoadProtocol::http;
}

// A base URL is enough where the protocol is named.
std::string path_for(LoadProtocol protocol, const std::string& path) {
  if (path != "/" && path != "/v1" && path != "/v1/") return path;
  if (protocol == LoadProtocol::openai_chat) return "/v1/chat/completions";
  if (protocol == LoadProtocol::openai_completions) return "/v1/completions";
  return protocol == LoadProtocol::oip ? "/v2" : path;
}

}  // namespace

const char* protocol_name(LoadProtocol protocol) {
  for (const auto& [known, name] : protocols)
    if (known == protocol) return name;
  return "?";
}

Result<LoadProtocol> parse_protocol(const std::string& text) {
  std::vector<std::string> names;
  for (const auto& [protocol, name] : protocols) {
    if (text == name) return protocol;
    names.emplace_back(name);
  }
  return Error{Code::invalid_argument, fmt::format("'{}' is not a protocol of loadtest", text),
               name_hint(text, names)};
}

bool answers_in_tokens(LoadProtocol protocol) {
  return protocol == LoadProtocol::openai_chat || protocol == LoadProtocol::openai_completions;
}

std::string LoadTarget::authority() const {
  const bool ip6 = host.find(':') != std::string::npos;
  return fmt::format("{}{}{}:{}", ip6 ? "[" : "", host, ip6 ? "]" : "", port);
}

std::string LoadTarget::url() const {
  return "http://" + authority() + path;
}

Result<LoadTarget> parse_target(const std::string& url, const std::string& protocol) {
  if (!text_fault(url).empty()) return bad_url(url);
  if (url.starts_with("https://"))
    return Error{Code::unavailable, "loadtest speaks http, not https",
                 "name the server's plain port, or a proxy on this machine that ends TLS, such as "
                 "socat TCP-LISTEN:8001,fork OPENSSL:HOST:443"};
  const size_t scheme = url.find("://");
  if (scheme != std::string::npos && !url.starts_with("http://")) return bad_url(url);
  const std::string rest = scheme == std::string::npos ? url : url.substr(scheme + 3);
  const size_t slash = rest.find_first_of("/?#");
  const std::string authority = rest.substr(0, slash);
  if (authority.find('@') != std::string::npos)
    return Error{Code::invalid_argument, "the URL holds a user name or a password",
                 "keep the key in an environment variable and name that with --key-from"};
  LoadTarget target;
  FLYBALL_CHECK(read_authority(authority, target));
  target.path = slash == std::string::npos ? "/" : rest.substr(slash, rest.find('#') - slash);
  if (!target.path.starts_with('/')) target.path.insert(0, "/");
  if (target.path.find(' ') != std::string::npos) return bad_url(url);
  target.protocol = protocol_of(target.path);
  if (!protocol.empty()) {
    FLYBALL_ASSIGN(target.protocol, parse_protocol(protocol));
  }
  target.path = path_for(target.protocol, target.path);
  return target;
}

}  // namespace flyball
