// Checks of option values that several commands share; what fails is bad use and names the option.
#pragma once

#include <CLI/CLI.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "base/status.h"

namespace flyball::cli {

/// A finite whole number of at least 1.
CLI::Validator sample_count();
/// What holds for every option of every command, so that nothing is taken for another value than
/// was typed: no empty text; whole numbers in decimals, with a sign only where one makes sense, and
/// not beyond what can be counted; no number that is infinite, none, or beyond 1e15.
void check_every_option(CLI::App& app);
/// The option names a file or a folder that the command writes: not `-`, and not what another such
/// option of the command names. A file needs a folder that is there. Help shows it as FILE.
CLI::Option* writes(CLI::Option* option, const char* kind = "FILE");
/// Its value is one of few words, which help, completion and the check of configuration files take
/// from here; the command itself refuses others.
CLI::Option* takes_one_of(CLI::Option* option, const std::vector<std::string>& words);
/// Completion offers these words, among others that are taken.
CLI::Option* offers(CLI::Option* option, const std::vector<std::string>& words);
/// Can a file be written there? Tries it and leaves nothing behind; a file that is there stays.
Status check_writable(const std::filesystem::path& file);
/// Error: what is to be written is the record itself, which would be lost before it is read.
Status check_other_file(const std::filesystem::path& out, const std::filesystem::path& record);

}  // namespace flyball::cli
