// Campaigns as tables for people.
#pragma once

#include <string>

#include "campaign/ahead.h"
#include "campaign/report.h"
#include "campaign/status.h"

namespace flyball::cli {

std::string campaign_ahead_text(const CampaignAhead& ahead, const Campaign& campaign);
std::string campaign_status_text(const CampaignStatus& status);
std::string campaign_report_text(const CampaignReport& report);
/// A line about a board that differs; `of`: in what it does.
std::string outlier_text(const std::string& board, const std::string& of, double time_pct,
                         double energy_pct);

}  // namespace flyball::cli
