// The document of `flyball compare boards --json`.
#include "answers/infeasible.h"
#include "answers/repeats.h"
#include "base/json.h"
#include "compare/board_comparison.h"

namespace flyball {
namespace {

Json ratio_json(const std::optional<Ratio>& ratio, const std::string& words) {
  if (!ratio) return nullptr;
  return {{"mean", ratio->mean},
          {"least", ratio->least},
          {"most", ratio->most},
          {"networks", ratio->networks},
          {"text", words}};
}

Json speed_json(const std::optional<Ratio>& ratio) {
  return ratio_json(ratio, ratio ? speed_words(*ratio, "") : "");
}

class Document {
 public:
  explicit Document(const BoardComparison& all) : all_(all) {}

  Json json() const {
    Json document = {{"asked", asked_json()}, {"networks", networks_json()}};
    document["boards"] = Json::array();
    for (size_t i = 0; i < all_.boards.size(); ++i) document["boards"].push_back(board_json(i));
    document["prices"] = {{"file", all_.prices.file},
                          {"currency", all_.prices.currency},
                          {"life_years", all_.prices.life_years},
                          {"electricity_per_kwh", all_.prices.electricity_per_kwh}};
    document["published"] = {{"title", all_.published.title}, {"source", all_.published.source}};
    document["measured_file"] = text_or_null(all_.measured_file);
    document["choice"] = choice_json();
    document["infeasible"] = all_.infeasible ? infeasible_json(*all_.infeasible) : Json(nullptr);
    document["notes"] = all_.notes;
    return document;
  }

 private:
  Json asked_json() const {
    const BoardLimits& limits = all_.limits;
    const auto amount = [](const std::optional<Money>& money) {
      return money ? Json(money->amount) : Json(nullptr);
    };
    return {
        {"batch_size", all_.question.batch_size},
        {"loader_workers", all_.question.loader_workers},
        {"prefetch", all_.question.prefetch},
        {"seed", all_.question.seed},
        {"objective", all_.chooses ? Json(board_objective_name(all_.objective)) : Json(nullptr)},
        {"deadline_s", or_null(limits.deadline_s)},
        {"power_budget_w", or_null(limits.power_w)},
        {"energy_budget_j", or_null(limits.energy_j)},
        {"price_budget", amount(limits.epoch_price)},
        {"board_budget", amount(limits.board_price)},
        {"text", all_.chooses ? Json(all_.asked()) : Json(nullptr)}};
  }

  Json networks_json() const {
    Json networks = Json::array();
    for (const ComparedNetwork& one : all_.question.networks) {
      const bool known = one.samples > 0;
      networks.push_back({{"workload", one.name},
                          {"samples", known ? Json(one.samples) : Json(nullptr)},
                          {"minibatches", known ? Json(one.minibatches(all_.question.batch_size))
                                                : Json(nullptr)}});
    }
    return networks;
  }

  Json board_json(size_t i) const {
    const ComparedBoard& board = all_.boards[i];
    const BoardRatios& ratios = all_.ratios[i];
    Json figures = Json::array();
    for (size_t n = 0; n < board.figures.size(); ++n) figures.push_back(figures_json(i, n));
    return {{"name", all_.names[i]},
            {"board", board.name},
            {"title", board.title},
            {"source", board_source_name(board.source)},
            {"baseline", i == all_.baseline},
            {"power_total", text_or_null(board.power_total)},
            {"power_parts", text_or_null(board.power_parts)},
            {"price", price_json(board)},
            {"figures", std::move(figures)},
            {"speed", speed_json(ratios.speed)},
            {"energy", ratio_json(ratios.energy, ratios.energy_text)},
            {"published_speed", speed_json(ratios.published)},
            {"measured_speed", speed_json(ratios.measured)},
            {"text", ratios.text},
            {"misses", all_.choice ? Json(all_.choice->misses[i]) : Json(nullptr)}};
  }

  Json price_json(const ComparedBoard& board) const {
    const BoardPrice* price = all_.prices.of(board.name);
    if (!price) return nullptr;
    return {{"amount", price->price.amount},
            {"currency", price->price.currency},
            {"date", price->date},
            {"what", text_or_null(price->what)},
            {"source", price->source}};
  }

  Json figures_json(size_t board, size_t network) const {
    const BoardFigures& f = all_.boards[board].figures[network];
    Json json = f.has_time() ? known_json(f.config, f.known) : unknown_json();
    json["workload"] = all_.question.networks[network].name;
    json["missing"] = text_or_null(f.missing);
    json["fits"] = f.memory ? Json(f.fits()) : Json(nullptr);
    json["needed_bytes"] = f.memory ? Json(f.memory->needed_bytes) : Json(nullptr);
    json["available_bytes"] = f.memory ? Json(f.memory->available_bytes) : Json(nullptr);
    json["epoch_s"] = or_null(f.epoch_s());
    json["epoch_j"] = or_null(f.epoch_j());
    json["epoch_price"] = or_null(epoch_price(all_.boards[board], f, all_.prices));
    const PublishedEpoch* epoch = all_.published_epoch(board, network);
    json["published_s"] = epoch ? or_null(epoch->seconds) : Json(nullptr);
    json["published_fits"] = epoch ? Json(epoch->seconds.has_value()) : Json(nullptr);
    json["published_difference_pct"] = or_null(all_.published_difference_pct(board, network));
    const MeasuredMinibatch* measured = all_.measured_minibatch(board, network);
    json["measured_ms"] = measured ? Json(measured->minibatch_ms) : Json(nullptr);
    json["measured_difference_pct"] = or_null(all_.measured_difference_pct(board, network));
    return json;
  }

  static Json unknown_json() {
    return {{"config", nullptr},  {"minibatch_ms", nullptr}, {"minibatch_ms_90", nullptr},
            {"power_w", nullptr}, {"power_w_90", nullptr},   {"provenance", nullptr}};
  }

  Json choice_json() const {
    if (!all_.choice || !all_.choice->board) return nullptr;
    return {{"name", all_.names[*all_.choice->board]},
            {"objective", board_objective_name(all_.objective)},
            {"value", all_.choice->value},
            {"text", all_.choice_text()}};
  }

  const BoardComparison& all_;
};

}  // namespace

Json to_json(const BoardComparison& comparison) {
  return Document(comparison).json();
}

}  // namespace flyball
