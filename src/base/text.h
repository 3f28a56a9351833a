// Small helpers on foreign text. None of them throws or depends on the locale.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace flyball {

/// Without blanks and line ends at both ends.
std::string_view trim(std::string_view text);
/// The whole of `text` as a number, or nothing ("12x" and "" are nothing; "nan" and "inf" parse).
std::optional<double> parse_double(std::string_view text);
/// The whole of `text` as a decimal integer, or nothing.
std::optional<long long> parse_integer(std::string_view text);
/// What keeps `text` from being plain UTF-8: "is not UTF-8", or a control character other than tab
/// and line ends, by its number; "" when nothing does.
std::string text_fault(std::string_view text);
/// A piece of what others said that may be printed, at most so many bytes of it: control
/// characters, and bytes that are no UTF-8, are shown as "?".
std::string printable(std::string_view text, size_t most = 120);
/// Pieces between separators; "a,,b" has three.
std::vector<std::string> split(std::string_view text, char separator);
/// Pieces joined with a separator.
std::string join(const std::vector<std::string>& pieces, std::string_view separator);
/// A word that a POSIX shell reads back as it is: quoted only where it has to be.
std::string shell_word(std::string_view word);
/// One line that a shell reads back as these words.
std::string shell_line(const std::vector<std::string>& words);
/// The number as short as it can be written without loss: 16, 114.75.
std::string format_number(double value);
/// The remedy for a name that is not there: the one that was meant, else `otherwise`, else all of
/// them.
std::string name_hint(std::string_view wrong, const std::vector<std::string>& names,
                      std::string otherwise = "");
/// The name in `names` closest to `wrong`, when it is close enough to be meant.
std::optional<std::string> closest(std::string_view wrong, const std::vector<std::string>& names);

}  // namespace flyball
