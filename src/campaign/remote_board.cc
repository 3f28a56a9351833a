#include "campaign/remote_board.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/files.h"
#include "base/os/places.h"
#include "base/text.h"
#include "telemetry/process/bounded_run.h"
#include "telemetry/process/command.h"
#include "telemetry/process/ssh.h"

namespace flyball {
namespace {

constexpr double tell_limit_s = 60, copy_limit_s = 900;
constexpr const char* remote_folder = ".cache/flyball/campaign";
constexpr size_t digest_digits = 64, most_control_path = 60;

// `sha256sum` prints the digest first.
Result<std::string> digest_in(const std::string& said, const std::string& of) {
  const std::string digest(trim(said.substr(0, said.find(' '))));
  if (digest.size() == digest_digits &&
      digest.find_first_not_of("0123456789abcdef") == std::string::npos)
    return digest;
  return Error{Code::unavailable, fmt::format("no digest of {} can be had", of),
               "sha256sum (coreutils) is needed on both sides"};
}

Result<std::string> digest_of(const std::filesystem::path& file) {
  FLYBALL_ASSIGN(const std::string said, run_program({"sha256sum", file.string()}, copy_limit_s));
  return digest_in(said, file.string());
}

// Sockets of connections that several calls share; "" where their path would be too long.
std::string control_folder() {
  const std::filesystem::path folder = cache_folder() / "ssh";
  if (folder.string().size() > most_control_path) return "";
  std::error_code problem;
  std::filesystem::create_directories(folder, problem);
  if (!problem) std::filesystem::permissions(folder, std::filesystem::perms::owner_all, problem);
  return problem ? "" : folder.string();
}

// A pipe of which nothing comes until this process ends: ssh passes its end on, and the command
// there is ended.
Status hold_stdin() {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0 || ::dup2(ends[0], STDIN_FILENO) < 0)
    return Error{Code::io, "no pipe can be had", "close some programs"};
  ::close(ends[0]);
  return {};
}

// Runs it beside something that ends it when stdin does. A connection that is lost need not end
// stdin for hours: what such a call has left is ended by the next one, which then has the cell's
// folder there for itself.
std::string ended_with_stdin(const std::string& command) {
  return "exec 3<&0 9>>running; flock -n 9 || { kill -TERM $(cat process) 2>/dev/null; "
         "flock -w 30 9; } || { echo \"process $(cat process) of an earlier call goes on there\" "
         ">&2; exit 254; }; " +
         command +
         " </dev/null 3<&- & p=$!; echo $p >process; "
         "(exec 9>&-; cat <&3 >/dev/null; kill -TERM $p) 2>/dev/null & w=$!; "
         "wait $p; c=$?; kill $w 2>/dev/null; exit $c";
}

}  // namespace

RemoteBoard::RemoteBoard(const Campaign& campaign, const CampaignBoard& board,
                         std::filesystem::path program)
    : campaign_(campaign),
      board_(board),
      program_(board.program.empty() ? std::move(program)
                                     : campaign.file.parent_path() / board.program) {}

Result<CommandWords> RemoteBoard::words(const std::string& command) const {
  FLYBALL_CHECK(check_host(board_.host));
  FLYBALL_ASSIGN(CommandWords all, ssh_words());
  if (const std::string folder = control_folder(); !folder.empty())
    for (const char* option : {"ControlMaster=auto", "ControlPersist=60"})
      all.insert(all.end(), {"-o", option});
  if (const std::string folder = control_folder(); !folder.empty())
    all.insert(all.end(), {"-o", "ControlPath=" + folder + "/%C"});
  all.insert(all.end(), campaign_.ssh.options.begin(), campaign_.ssh.options.end());
  all.insert(all.end(), {"--", board_.host, command});
  return all;
}

Result<std::string> RemoteBoard::tell(const std::string& command, double limit_s) const {
  FLYBALL_ASSIGN(const CommandWords all, words(command));
  auto said = run_program(all, limit_s);
  if (said) return said;
  return Error{Code::unavailable,
               fmt::format("{} ({}): {}", board_.name, board_.host, said.error().message),
               fmt::format("try `ssh {} true`", board_.host)};
}

Result<std::string> RemoteBoard::pass(const std::filesystem::path& file,
                                      const std::string& command) const {
  FLYBALL_ASSIGN(const CommandWords all, words(command));
  FLYBALL_ASSIGN(const OpenedFile in, open_regular(file));
  auto done = run_program(all, copy_limit_s, in.descriptor.get());
  if (done) return done;
  return Error{Code::unavailable,
               fmt::format("{} ({}): {} was not copied: {}", board_.name, board_.host,
                           file.string(), done.error().message),
               fmt::format("try `ssh {} true`, and whether there is space", board_.host)};
}

Status RemoteBoard::put(const std::filesystem::path& file, const std::string& place,
                        const char* mode) const {
  FLYBALL_ASSIGN(const std::string digest, digest_of(file));
  // Others may copy the same at once: each has a file of its own, and moves what it has checked.
  const std::string command = fmt::format(
      "p=$(mktemp {0}.XXXXXXXX) || exit 1; cat >\"$p\"; d=$(sha256sum <\"$p\"); echo \"$d\"; "
      "if [ \"${{d%% *}}\" = {1} ]; then chmod {2} \"$p\" && mv -f \"$p\" {0}; else rm -f \"$p\"; "
      "fi",
      shell_line({place}), digest, mode);
  FLYBALL_ASSIGN(const std::string said, pass(file, command));
  FLYBALL_ASSIGN(const std::string there, digest_in(said, place));
  if (there == digest) return {};
  return Error{Code::corrupt, fmt::format("{}: the copy of {} differs", board_.name, file.string()),
               "try again; is there space?"};
}

// A consistent copy, with what is only in the log beside the store yet.
Status RemoteBoard::fetch(const std::string& program, const std::string& place,
                          const std::filesystem::path& file) const {
  const std::filesystem::path part = file.string() + ".part";
  std::error_code problem;
  std::filesystem::remove(part, problem);
  FLYBALL_ASSIGN(const CommandWords all, words(store_export_command(program, place)));
  FLYBALL_ASSIGN(const int code, run_into_file(all, part));
  if (code != 0)
    return Error{Code::unavailable,
                 fmt::format("{} ({}): {} did not come back", board_.name, board_.host, place),
                 fmt::format("try `ssh {} true`, and whether there is space", board_.host)};
  // A log of the store that lay there would be taken for this one's.
  for (const char* log : {"-wal", "-shm"}) std::filesystem::remove(file.string() + log, problem);
  std::filesystem::rename(part, file, problem);
  if (problem) return file_error("keep", file, problem.value());
  return {};
}

Result<std::string> RemoteBoard::bring_program() const {
  FLYBALL_ASSIGN(const std::string digest, digest_of(program_));
  const std::string place = fmt::format("{}/flyball-{}", remote_folder, digest.substr(0, 32));
  FLYBALL_ASSIGN(
      const std::string said,
      tell(fmt::format("mkdir -p {} && sha256sum {} || true", remote_folder, place), tell_limit_s));
  if (said.starts_with(digest)) return place;
  FLYBALL_CHECK(put(program_, place, "755"));
  return place;
}

Result<int> RemoteBoard::ask(const CampaignCell& cell, const CellPlaces& places,
                             const CampaignFolder& folder, const std::filesystem::path& output,
                             CellResult& result) const {
  FLYBALL_ASSIGN(const std::string program, bring_program());
  FLYBALL_ASSIGN(const std::string campaign, campaign_id(folder));
  const std::string place = fmt::format("{}/cells/{}/{}", remote_folder, campaign, cell.name);
  FLYBALL_ASSIGN(const std::string made, tell("mkdir -p " + shell_line({place}), tell_limit_s));
  if (!places.reference.empty())
    FLYBALL_CHECK(put(places.reference, place + "/reference.csv", "644"));
  CommandWords line = {"\"$HOME\"/" + program};
  const CommandWords arguments =
      cell_arguments(campaign_, cell,
                     {.store = places.store.empty() ? "" : "store.db",
                      .result = std::filesystem::path(places.result).filename().string(),
                      .reference = places.reference.empty() ? "" : "reference.csv"});
  const std::string command = "cd " + shell_line({place}) + " || exit 2; " +
                              ended_with_stdin(line.front() + " " + shell_line(arguments));
  FLYBALL_CHECK(hold_stdin());
  FLYBALL_ASSIGN(const CommandWords all, words(command));
  FLYBALL_ASSIGN(const Descriptor out, open_output(output));
  FLYBALL_ASSIGN(const auto running, RunningCommand::start(all, {.streams = {.out = out.get()}}));
  while (!running->wait_until(monotonic_ns() + nanoseconds(1))) running->refresh();
  running->finish(true);  // a shared connection may serve others
  if (const int signal = running->passed_on(); signal != 0) return 128 + signal;
  const int code = running->exit_code();
  if (code == 254)
    return Error{Code::conflict,
                 fmt::format("{} ({}): an earlier call of {} still runs there", board_.name,
                             board_.host, cell.name),
                 fmt::format("end it: `ssh {} 'kill $(cat {}/process)'`", board_.host, place)};
  if (code == 255)
    return Error{Code::unavailable,
                 fmt::format("{} ({}) does not answer any more", board_.name, board_.host),
                 "`flyball campaign run` goes on where it was"};
  if (!board_.simulated) {
    const auto restored = tell("\"$HOME\"/" + program + " mode restore", tell_limit_s);
    result.not_restored = restored ? "" : restored.error().message;
  }
  if (!places.store.empty()) {
    const Status fetched = fetch("\"$HOME\"/" + program, place + "/store.db", places.store);
    if (!fetched.ok() && (code == 0 || code == 1)) return fetched.error();
  }
  return code;
}

}  // namespace flyball
