#include "cli/commands/verify/verify_bundle.h"

#include <fmt/format.h>

#include <ctime>

#include "answers/json_version.h"
#include "base/json.h"
#include "cli/commands/doctor.h"
#include "device/doctor/recorded_tree.h"
#include "device/doctor/secrets.h"
#include "device/doctor/tar_gz.h"
#include "device/host/board_device.h"
#include "device/modes/mode.h"

namespace flyball::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char* readme =
    "A board as `flyball verify-board` found it.\n\n"
    "tree         the files that Flyball reads of it; --root takes the folder:\n"
    "             flyball doctor --root tree, flyball mode show --root tree\n"
    "verify.json  what was checked and what came of it\n"
    "doctor.json  what `flyball doctor --json` said\n"
    "mode.json    what `flyball mode show --json` said\n\n"
    "Serial numbers, the machine's identifier, names of host and users, tokens, hardware and "
    "network\n"
    "addresses are left out; \"left-out-…\" stands where one was.\n";

TreeEntry document(const std::string& name, const Json& json, Scrubber& scrubber) {
  const Json clean = scrubber.json(in_version(json, 2));
  return {TreeEntry::Kind::file, name,
          clean.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"};
}

Json mode_document(const Verification& verification, const fs::path& root) {
  const auto board = open_any_board(verification.board, root);
  return mode_json(verification.board, *board, root);
}

// Names may stand in what the kernel says of hardware; nothing else may stand anywhere.
Status check_clean(const std::vector<TreeEntry>& entries, const std::vector<Secret>& secrets) {
  for (const TreeEntry& entry : entries) {
    if (entry.path == "README") continue;  // the same in each bundle
    const std::string text = Scrubber(secrets).text(entry.content, Scrubber::Source::hardware);
    if (text != entry.content)
      return Error{Code::internal,
                   fmt::format("{} would still hold a secret: no bundle is written", entry.path),
                   "please report this, without the file"};
  }
  return {};
}

}  // namespace

Result<Bundle> make_bundle(const fs::path& root, const Verification& verification) {
  const RecordedTree tree = record_tree(root, verification.board.spec);
  const std::vector<Secret> secrets = machine_secrets(root);
  Scrubber scrubber(secrets);
  Bundle bundle{.folder = "flyball-board-" + verification.board.id};
  std::vector<TreeEntry> entries = scrubber.tree(tree.entries);
  for (TreeEntry& entry : entries) {
    ++(entry.kind == TreeEntry::Kind::link ? bundle.links : bundle.files);
    entry.path = "tree/" + entry.path;
  }
  for (const Error& error : tree.unread) bundle.unread.push_back(scrubber.text(error.message));
  Json verify = verification_json(verification);
  verify["unread"] = bundle.unread;
  entries.push_back({TreeEntry::Kind::file, "README", readme});
  entries.push_back(document("verify.json", verify, scrubber));
  entries.push_back(document("doctor.json", doctor_document(root), scrubber));
  entries.push_back(document("mode.json", mode_document(verification, root), scrubber));
  FLYBALL_CHECK(check_clean(entries, secrets));
  bundle.left_out = scrubber.left_out();
  FLYBALL_ASSIGN(bundle.bytes, tar_gz(entries, bundle.folder, std::time(nullptr)));
  return bundle;
}

Json bundle_json(const Bundle& bundle, const std::string& file) {
  Json left_out = Json::array();
  for (const auto& [kind, count] : bundle.left_out)
    left_out.push_back({{"kind", kind}, {"count", count}});
  return {{"file", file},          {"bytes", bundle.bytes.size()}, {"files", bundle.files},
          {"links", bundle.links}, {"left_out", left_out},         {"unread", bundle.unread}};
}

}  // namespace flyball::cli
