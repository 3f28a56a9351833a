#include "fleet/rounds/round.h"

#include <algorithm>
#include <cmath>

#include "base/distributions.h"

namespace flyball {
namespace {

constexpr size_t all_options_until = 2000;  // clients; of more only those of the concave hull
constexpr size_t usual_options = 4;

RoundMode round_mode(const FleetMode& mode) {
  const double step_s = mode.minibatch_ms / 1e3;
  return {mode, step_s, step_s * mode.power_w, std::log(step_s)};
}

RoundModes round_modes(const FleetKind& kind) {
  RoundModes modes{{}, round_mode(kind.maxn), kind.idle_w.value_or(0)};
  for (size_t i = kind.front.size(); i-- > 0;) {
    RoundMode one = round_mode(kind.front[i]);
    if (modes.modes.empty() || one.step_j < modes.modes.back().step_j)
      modes.modes.push_back(std::move(one));
  }
  std::ranges::reverse(modes.modes);
  return modes;
}

/// The options of one client, and the modes that they are of.
class Offers {
 public:
  Offers(const RoundSetting& setting, bool hull) : setting_(setting), hull_(hull) {}

  /// Of modes from slow to fast.
  void fill(const RoundClient& client, double gain, std::span<const RoundMode> modes) {
    options_.clear();
    modes_.clear();
    const double expected = gain * (1 - client.dropout);
    if (!(expected > 0)) return;
    for (const RoundMode& mode : modes) {
      const double on_time = setting_.on_time(client, mode);
      if (on_time == 0) continue;
      add({expected * on_time, setting_.energy_j(client, mode)}, mode);
      if (on_time == 1) break;
    }
  }

  std::span<const SelectionOption> options() const { return options_; }
  const RoundMode* mode(int option) const { return modes_[static_cast<size_t>(option)]; }

 private:
  void add(const SelectionOption& one, const RoundMode& mode) {
    if (!options_.empty() && one.value <= options_.back().value) return;
    while (hull_ && !options_.empty() && lies_below(one)) {
      options_.pop_back();
      modes_.pop_back();
    }
    options_.push_back(one);
    modes_.push_back(&mode);
  }
  /// Does the last option lie below the line from the one before it to this one?
  bool lies_below(const SelectionOption& next) const {
    const SelectionOption& last = options_.back();
    const SelectionOption before =
        options_.size() > 1 ? options_[options_.size() - 2] : SelectionOption{};
    return (last.value - before.value) * (next.energy_j - before.energy_j) <=
           (next.value - before.value) * (last.energy_j - before.energy_j);
  }

  const RoundSetting& setting_;
  bool hull_;
  std::vector<SelectionOption> options_;
  std::vector<const RoundMode*> modes_;
};

}  // namespace

RoundSetting::RoundSetting(const Population& population, const RoundRules& rules, double batch_size)
    : population_(population), rules_(rules), batch_size_(batch_size) {
  for (const FleetKind& kind : population.kinds) modes_.push_back(round_modes(kind));
}

double RoundSetting::work(const RoundClient& client) const {
  return rules_.local_epochs * std::ceil(client.samples / batch_size_) * client.slowness;
}

double RoundSetting::time_s(const RoundClient& client, const RoundMode& mode) const {
  return client.transfer_s + work(client) * mode.step_s;
}

double RoundSetting::energy_j(const RoundClient& client, const RoundMode& mode) const {
  return modes_of(client).idle_w * client.transfer_s + work(client) * mode.step_j;
}

double RoundSetting::on_time(const RoundClient& client, const RoundMode& mode) const {
  const double room_s = rules_.deadline_s - client.transfer_s;
  if (!(room_s > 0)) return 0;
  const double spare = std::log(room_s / work(client)) - mode.log_step_s,
               spread = rules_.straggling;
  if (spread == 0) return spare >= -1e-12 ? 1 : 0;
  const double likely = normal_cdf(spare / spread + spread / 2);
  return likely < least_on_time ? 0 : likely > sure_on_time ? 1 : likely;
}

Invitation RoundSetting::invitation(size_t client, const RoundMode& mode) const {
  const RoundClient& one = population_.clients[client];
  return {client, &mode, on_time(one, mode), energy_j(one, mode)};
}

RoundChoice choose_round(const RoundSetting& setting, std::span<const double> gains,
                         ModesAllowed allowed) {
  const std::vector<RoundClient>& clients = setting.population().clients;
  Offers offers(setting, clients.size() > all_options_until);
  const auto fill = [&](size_t client) {
    const RoundModes& modes = setting.modes_of(clients[client]);
    offers.fill(clients[client], gains[client],
                allowed == ModesAllowed::maxn ? std::span(&modes.maxn, 1) : std::span(modes.modes));
  };
  SelectionProblem problem;
  if (setting.rules().energy_j) problem.most_energy_j = *setting.rules().energy_j;
  if (setting.rules().count) problem.most_clients = *setting.rules().count;
  problem.reserve(clients.size(), usual_options * clients.size());
  for (size_t i = 0; i < clients.size(); ++i) {
    fill(i);
    problem.add(offers.options());
  }
  const Selection selection = select_clients(problem);
  RoundChoice choice{{}, selection.value, selection.energy_j, selection.bound, selection.exact};
  choice.invited.reserve(selection.clients);
  for (size_t i = 0; i < clients.size(); ++i)
    if (const int option = selection.chosen[i]; option != Selection::none) {
      fill(i);
      choice.invited.push_back(setting.invitation(i, *offers.mode(option)));
    }
  return choice;
}

}  // namespace flyball
