// The cells of a campaign, and their command lines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "campaign/campaign.h"

namespace flyball {

inline constexpr size_t most_cells = 100000;

struct CampaignCell {
  std::string name;  ///< "nano-1.resnet18.tune.10W": also its folder's
  size_t index = 0;
  size_t board = 0, workload = 0, question = 0, budget = 0;
  std::optional<size_t> leader;  ///< the cell whose measurements it starts from
  bool leads = false;            ///< others start from its measurements
};

/// In the order in which they are begun: those that lead come first. Errors: none; too many.
Result<std::vector<CampaignCell>> cells_of(const Campaign& campaign);
/// The cell of this name. Error: there is none, with the closest one.
Result<const CampaignCell*> find_cell(const std::vector<CampaignCell>& cells,
                                      const std::string& name);

/// Does it keep a store? Experiments on a simulated board keep none.
bool keeps_store(const Campaign& campaign, const CampaignCell& cell);

/// Where a cell keeps what it finds.
struct CellPlaces {
  std::string store;      ///< "": nothing is kept
  std::string result{};   ///< of a benchmark; "": where it is usual
  std::string reference;  ///< table that it starts from; "": none
};
/// Behind "flyball": question, workload, board, options, budget, store, and the program of the
/// user's own.
CommandWords cell_arguments(const Campaign& campaign, const CampaignCell& cell,
                            const CellPlaces& places);
/// The same asked of another board, keeping nothing.
CommandWords arguments_on(const Campaign& campaign, const CampaignCell& cell,
                          const std::string& device, const CommandWords& more);

}  // namespace flyball
