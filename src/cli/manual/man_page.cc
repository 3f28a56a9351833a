#include "cli/manual/man_page.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "base/text.h"

namespace flyball::cli {
namespace {

constexpr const char* section = "1";

// The code of the UTF-8 character that begins at `at`, which is moved behind it.
uint32_t next_code(const std::string& text, size_t& at) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(at++);
  const int more = first >= 0xF0 ? 3 : first >= 0xE0 ? 2 : first >= 0xC0 ? 1 : 0;
  uint32_t code = more == 0 ? first : first & (0x3FU >> more);
  for (int i = 0; i < more && at < text.size(); ++i) code = (code << 6) | (byte(at++) & 0x3FU);
  return code;
}

// As roff reads it back: nothing in it is a request, and a minus stays one, so that options can be
// copied from the page.
std::string roff(const std::string& text) {
  std::string out;
  for (size_t at = 0; at < text.size();) {
    const bool begins_line = at == 0 || text[at - 1] == '\n';
    const uint32_t code = next_code(text, at);
    if (begins_line && code == '.') out += "\\&";
    switch (code) {
      case '\\':
        out += "\\(rs";
        break;
      case '-':
        out += "\\-";
        break;
      case '\'':
        out += "\\(aq";
        break;
      case '`':
        out += "\\(ga";
        break;
      case '"':
        out += "\\(dq";
        break;
      case '^':
        out += "\\(ha";
        break;
      case '~':
        out += "\\(ti";
        break;
      default:
        if (code < 0x80)
          out += static_cast<char>(code);
        else
          out += fmt::format("\\[u{:04X}]", code);
    }
  }
  return out;
}

std::string bold(const std::string& text) {
  return "\\fB" + roff(text) + "\\fR";
}

std::string reference(const std::string& path) {
  return fmt::format("{}({})", bold(page_name(path)), section);
}

std::string option_entry(const ListedOption& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.names) names.push_back(bold(name));
  std::string entry = ".TP\n" + join(names, ", ");
  if (!option.value.empty()) entry += " \\fI" + roff(option.value) + "\\fR";
  return entry + "\n" + roff(option.text) + "\n";
}

std::string options_section(const char* title, const std::vector<ListedOption>& options) {
  if (options.empty()) return "";
  std::string text = fmt::format(".SH {}\n", title);
  for (const ListedOption& option : options) text += option_entry(option);
  return text;
}

std::string commands_section(const ListedCommand& command, const std::vector<ListedCommand>& all) {
  if (command.commands.empty()) return "";
  std::string text = ".SH COMMANDS\n";
  for (const ListedCommand* one : commands_below(command, all))
    text += fmt::format(".TP\n{}\n{}; see {}.\n", bold(last_word(one->path)), roff(one->text),
                        reference(one->path));
  return text;
}

// A footer in two parts: what is said, and the examples, whose lines are indented.
struct Footer {
  std::string words, examples;
};

Footer read_footer(const std::string& footer) {
  Footer parts;
  bool example = false;
  for (const std::string& whole : split(footer, '\n')) {
    std::string line = whole;
    const size_t mark = line.find("Example");
    const bool begins = mark != std::string::npos && line.ends_with(':');
    if (begins) line = line.substr(0, mark);  // words may stand before it
    if (!line.empty() && line.front() == ' ')
      parts.examples +=
          fmt::format(".EX\n{}\n.EE\n", roff(line.substr(std::min<size_t>(2, line.size()))));
    else if (const auto text = trim(line); !text.empty())
      (example ? parts.examples : parts.words) += roff(std::string(text)) + "\n";
    example = example || begins;
  }
  // Lines of examples that follow each other are one block.
  const std::string seam = ".EE\n.EX\n";
  for (size_t at = 0; (at = parts.examples.find(seam, at)) != std::string::npos;)
    parts.examples.erase(at, seam.size());
  return parts;
}

std::string see_also(const ListedCommand& command, const std::vector<ListedCommand>& all) {
  std::vector<std::string> pages;
  const std::string parent = path_above(command.path);
  if (!parent.empty()) pages.push_back(reference(parent));
  for (const ListedCommand& one : all)
    if (!parent.empty() && path_above(one.path) == parent &&
        parent.find(' ') != std::string::npos && one.path != command.path)
      pages.push_back(reference(one.path));
  return pages.empty() ? "" : ".SH SEE ALSO\n" + join(pages, ",\n") + "\n";
}

}  // namespace

std::string page_name(const std::string& path) {
  std::string name = path;
  std::ranges::replace(name, ' ', '-');
  return name;
}

std::string man_page(const ListedCommand& command, const std::vector<ListedCommand>& all,
                     const ManualImprint& imprint) {
  const std::string name = page_name(command.path);
  std::string title = name;
  std::ranges::transform(title, title.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 32) : c;
  });
  const Footer footer = read_footer(command.footer);
  // The words of a usage after the command are what may be written there.
  const std::string rest =
      command.usage.substr(std::min(command.path.size(), command.usage.size()));
  std::string page = fmt::format(".TH \"{}\" {} \"{}\" \"{}\" \"Flyball\"\n", roff(title), section,
                                 imprint.date, roff(imprint.version));
  page += ".nh\n.ad l\n";  // words such as flyball.setting() stay whole
  page += fmt::format(".SH NAME\n{} \\- {}\n", roff(name), roff(command.text));
  page += fmt::format(".SH SYNOPSIS\n{}{}\n", bold(command.path), roff(rest));
  if (!footer.words.empty()) page += ".SH DESCRIPTION\n" + footer.words;
  page += commands_section(command, all);
  page += options_section("ARGUMENTS", command.positionals);
  page += options_section("OPTIONS", command.options);
  if (!footer.examples.empty()) page += ".SH EXAMPLES\n" + footer.examples;
  return page + see_also(command, all);
}

}  // namespace flyball::cli
