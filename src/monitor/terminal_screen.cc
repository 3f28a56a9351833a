#include "monitor/terminal_screen.h"

#include <curses.h>
#include <fmt/format.h>
#include <langinfo.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <clocale>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <string>

// Its macros have the names of functions elsewhere.
#undef timeout
#undef lines
#undef columns

namespace flyball {
namespace {

constexpr short accent_pair = 1, warning_pair = 2;
constexpr std::array crashes = {SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGQUIT};

// What a handler needs is made beforehand: it may call next to nothing.
struct {
  termios before{};
  bool saved = false;
  std::array<char, 256> leave{};
  size_t size = 0;
} restoring;

void append_capability(const char* name) {
  const char* text = tigetstr(name);
  if (text == nullptr || text == reinterpret_cast<const char*>(-1)) return;
  const size_t length = std::strlen(text);
  if (restoring.size + length > restoring.leave.size()) return;
  std::memcpy(restoring.leave.data() + restoring.size, text, length);
  restoring.size += length;
}

void on_crash(int signal) {
  (void)!::write(STDOUT_FILENO, restoring.leave.data(), restoring.size);
  if (restoring.saved) ::tcsetattr(STDIN_FILENO, TCSANOW, &restoring.before);
  std::signal(signal, SIG_DFL);
  std::raise(signal);
}

bool says_utf8(const char* name) {
  const char* value = std::getenv(name);
  const std::string text = value ? value : "";
  return text.find("UTF-8") != std::string::npos || text.find("utf8") != std::string::npos;
}

// A system may lack the locale that the environment names.
Glyphs choose_glyphs() {
  if (std::setlocale(LC_CTYPE, "") == nullptr &&
      (says_utf8("LC_ALL") || says_utf8("LC_CTYPE") || says_utf8("LANG")))
    std::setlocale(LC_CTYPE, "C.UTF-8");
  return std::strcmp(::nl_langinfo(CODESET), "UTF-8") == 0 ? Glyphs::blocks : Glyphs::ascii;
}

bool wants_colours() {
  const char* refused = std::getenv("NO_COLOR");
  return refused == nullptr || *refused == '\0';
}

Error no_screen(const std::string& why) {
  return {Code::unavailable, why, "`--once`, `--json` and lines need no such terminal"};
}

Error no_cursor(const char* term) {
  return no_screen(fmt::format("the terminal '{}' cannot move its cursor", term ? term : ""));
}

}  // namespace

Result<std::unique_ptr<TerminalScreen>> TerminalScreen::open() {
  if (::isatty(STDOUT_FILENO) == 0 || ::isatty(STDIN_FILENO) == 0)
    return no_screen("this is no terminal");
  const char* term = std::getenv("TERM");
  if (term == nullptr || std::strcmp(term, "dumb") == 0) return no_cursor(term);
  const Glyphs glyphs = choose_glyphs();
  restoring.saved = ::tcgetattr(STDIN_FILENO, &restoring.before) == 0;
  if (newterm(nullptr, stdout, stdin) == nullptr) return no_cursor(term);
  if (tigetstr("cup") == nullptr) {
    endwin();
    return no_cursor(term);
  }
  restoring.size = 0;
  for (const char* capability : {"sgr0", "cnorm", "rmkx", "rmcup"}) append_capability(capability);
  for (const int signal : crashes) std::signal(signal, on_crash);
  auto screen = std::unique_ptr<TerminalScreen>(new TerminalScreen(glyphs));
  cbreak();
  noecho();
  keypad(stdscr, TRUE);
  set_escdelay(25);
  curs_set(0);
  if (wants_colours() && has_colors()) {
    start_color();
    use_default_colors();
    init_pair(accent_pair, COLOR_CYAN, -1);
    init_pair(warning_pair, COLOR_YELLOW, -1);
    screen->colours_ = true;
  }
  return screen;
}

TerminalScreen::~TerminalScreen() {
  endwin();
  for (const int signal : crashes) std::signal(signal, SIG_DFL);
}

int TerminalScreen::width() const {
  return getmaxx(stdscr);
}

int TerminalScreen::height() const {
  return getmaxy(stdscr);
}

void TerminalScreen::draw(const Canvas& canvas) {
  const auto attribute = [this](Ink ink) -> attr_t {
    switch (ink) {
      case Ink::plain:
        return A_NORMAL;
      case Ink::dim:
        return A_DIM;
      case Ink::bold:
        return A_BOLD;
      case Ink::title:
        return A_REVERSE;
      case Ink::accent:
        return colours_ ? static_cast<attr_t>(COLOR_PAIR(accent_pair)) : A_NORMAL;
      case Ink::warning:
        return A_BOLD | A_REVERSE |
               (colours_ ? static_cast<attr_t>(COLOR_PAIR(warning_pair)) : A_NORMAL);
    }
    return A_NORMAL;
  };
  for (int y = 0; y < std::min(canvas.height(), height()); ++y) {
    int x = 0;
    const int end = std::min(canvas.width(), width());
    while (x < end) {  // a stretch of one ink at a time
      const Ink ink = canvas.at(x, y).ink;
      const int begin = x;
      std::string text;
      for (; x < end && canvas.at(x, y).ink == ink; ++x) {
        const char32_t glyph = canvas.at(x, y).glyph;
        text +=
            glyphs_ == Glyphs::ascii && glyph >= 0x80 ? (glyph == U'°' ? " " : "?") : utf8(glyph);
      }
      attrset(static_cast<int>(attribute(ink)));
      mvaddstr(y, begin, text.c_str());
    }
  }
  attrset(A_NORMAL);
  refresh();
}

int TerminalScreen::key(int milliseconds) {
  wtimeout(stdscr, milliseconds);
  const int key = wgetch(stdscr);
  switch (key) {
    case ERR:
      return key_none;
    case KEY_RESIZE:
      return key_resized;
    case KEY_ENTER:
    case '\n':
    case '\r':
      return key_enter;
    case KEY_BACKSPACE:
    case 127:
    case 8:
      return key_back;
    case 27:
      return key_escape;
    default:
      return key < 256 ? key : key_none;
  }
}

}  // namespace flyball
