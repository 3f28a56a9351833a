// How messages name the options of a request: as the one who asked has written them.
#pragma once

#include <string>
#include <string_view>

namespace flyball {

/// Who asked: a person at the command line, or a program through `flyball study`, whose keys are
/// the keywords of the Python package.
enum class Caller { command_line, program };

/// "--power-budget" or "power_budget", of "power-budget".
std::string option_name(Caller caller, std::string_view option);
/// An option that takes no value: "--fresh" or "fresh=True". "no-store" is keep=False there.
std::string flag_text(Caller caller, std::string_view option);
/// With a value, of a name by option_name(): "--power-budget 25.2W" or power_budget="25.2W";
/// numbers stand without quotes.
std::string option_text(std::string_view name, std::string_view value);
/// Of one that takes a figure's: "--at-most slowdown=5%" or at_most={"slowdown": "5%"}.
std::string figure_option_text(std::string_view name, std::string_view figure,
                               std::string_view value);

}  // namespace flyball
