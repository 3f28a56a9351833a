#include "compare/published_epochs.h"

#include <fmt/format.h>

#include "boards/toml_reader.h"
#include "compare/texts.h"

namespace flyball {
namespace {

constexpr const char* did_not_fit = "out of memory";

Result<PublishedEpoch> read_epoch(const TomlReader& file, const toml::node& node) {
  if (node.value<std::string>() == did_not_fit) return PublishedEpoch{};
  const auto seconds = node.value<double>();
  if (seconds && *seconds > 0) return PublishedEpoch{*seconds};
  return file.at(node, fmt::format("an epoch takes seconds, or is \"{}\"", did_not_fit));
}

}  // namespace

const PublishedEpoch* PublishedEpochs::find(const std::string& board,
                                            const std::string& network) const {
  const auto of_board = epochs.find(board);
  if (of_board == epochs.end()) return nullptr;
  const auto found = of_board->second.find(network);
  return found == of_board->second.end() ? nullptr : &found->second;
}

Result<PublishedEpochs> parse_published_epochs(const std::string& text, const std::string& name) {
  const TomlReader file(name, "compare.md");
  FLYBALL_ASSIGN(const toml::table document, file.parse(text));
  PublishedEpochs published;
  published.title = document["title"].value_or(std::string());
  published.source = document["source"].value_or(std::string());
  published.batch_size = document["batch_size"].value_or(0.0);
  published.loader_workers = document["loader_workers"].value_or(-1.0);
  if (published.title.empty() || published.source.empty() || !(published.batch_size >= 1) ||
      published.loader_workers < 0)
    return file.at(document, "title, source, batch_size and loader_workers are needed");
  if (const toml::table* samples = document["samples"].as_table())
    for (const auto& [network, node] : *samples)
      published.samples[std::string(network.str())] = node.value_or(0.0);
  const toml::table* boards = document["seconds"].as_table();
  if (!boards) return file.at(document, "there is no [seconds]");
  for (const auto& [board, node] : *boards) {
    const toml::table* networks = node.as_table();
    if (!networks) return file.at(node, "the epochs of a board are a table");
    for (const auto& [network, epoch] : *networks) {
      FLYBALL_ASSIGN(published.epochs[std::string(board.str())][std::string(network.str())],
                     read_epoch(file, epoch));
    }
  }
  return published;
}

Result<PublishedEpochs> known_published_epochs() {
  return parse_published_epochs(compared_text("published.toml"), "published.toml");
}

}  // namespace flyball
