#include "cli/quantities.h"

#include <fmt/format.h>

#include <cmath>
#include <vector>

namespace flyball::cli {
namespace {

// In SI units; sums and products of it stay finite.
constexpr double largest_quantity = 1e15;

std::string unit_list(const Watts&) {
  return "POWER";
}
std::string unit_list(const Seconds&) {
  return "TIME";
}
std::string unit_list(const Joules&) {
  return "ENERGY";
}

// Of memory; a size is a plain number elsewhere.
using Bytes = Quantity<struct BytesTag>;
std::string unit_list(const Bytes&) {
  return "SIZE";
}
Result<Bytes> parse_size(std::string_view text) {
  FLYBALL_ASSIGN(const double bytes, parse_bytes(text));
  return Bytes{bytes};
}

// Says what is wrong with a value; "" for none.
template <class Quantity>
CLI::Validator check_of(Result<Quantity> (*parse)(std::string_view), const Bounds& bounds) {
  return {[parse, bounds](const std::string& text) -> std::string {
            if (text.empty()) return "";  // check_every_option() refuses it
            const auto value = parse(text);
            if (!value) return fmt::format("{}: {}", value.error().message, value.error().hint);
            if (std::abs(value->value) > largest_quantity)
              return fmt::format("'{}' is beyond {:g} of its unit, the largest that is taken", text,
                                 largest_quantity);
            if (value->value >= bounds.least && value->value <= bounds.most) return "";
            return fmt::format("'{}' is out of bounds: say {}", text, bounds.words);
          },
          ""};
}

template <class Quantity>
CLI::Option* add(CLI::App& command, const std::string& name,
                 Result<Quantity> (*parse)(std::string_view), std::function<void(Quantity)> take,
                 const std::string& help, const Bounds& bounds) {
  return command
      .add_option_function<std::string>(
          name,
          [parse, take = std::move(take)](const std::string& text) {
            if (const auto value = parse(text)) take(*value);
          },
          help)
      ->check(check_of(parse, bounds))
      ->type_name(unit_list(Quantity{}));
}

template <class Quantity>
CLI::Option* add_several(CLI::App& command, const std::string& name,
                         Result<Quantity> (*parse)(std::string_view),
                         std::function<void(Quantity)> take, const std::string& help,
                         const Bounds& bounds) {
  return command
      .add_option_function<std::vector<std::string>>(
          name,
          [parse, take = std::move(take)](const std::vector<std::string>& texts) {
            for (const std::string& text : texts)
              if (const auto value = parse(text)) take(*value);
          },
          help)
      ->check(check_of(parse, bounds))
      ->type_name(unit_list(Quantity{}));
}

}  // namespace

Bounds above_zero(const std::string& unit) {
  Bounds bounds;
  bounds.least = std::numeric_limits<double>::min();
  bounds.words = "more than 0" + unit;
  return bounds;
}

CLI::Option* add_duration(CLI::App& command, const std::string& name,
                          std::function<void(Seconds)> take, const std::string& help,
                          const Bounds& bounds) {
  return add<Seconds>(command, name, parse_seconds, std::move(take), help, bounds);
}

CLI::Option* add_power(CLI::App& command, const std::string& name, std::function<void(Watts)> take,
                       const std::string& help, const Bounds& bounds) {
  return add<Watts>(command, name, parse_watts, std::move(take), help, bounds);
}

CLI::Option* add_energy(CLI::App& command, const std::string& name,
                        std::function<void(Joules)> take, const std::string& help,
                        const Bounds& bounds) {
  return add<Joules>(command, name, parse_joules, std::move(take), help, bounds);
}

CLI::Option* add_size(CLI::App& command, const std::string& name,
                      std::function<void(uint64_t bytes)> take, const std::string& help) {
  return add<Bytes>(
      command, name, parse_size,
      [take = std::move(take)](Bytes size) { take(static_cast<uint64_t>(size.value)); }, help,
      {1, 1e15, "1B to 1000000GB"});
}

CLI::Option* add_durations(CLI::App& command, const std::string& name,
                           std::function<void(Seconds)> take, const std::string& help) {
  return add_several<Seconds>(command, name, parse_seconds, std::move(take), help,
                              {1e-6, 1e9, "1us or more"});
}

CLI::Option* add_powers(CLI::App& command, const std::string& name, std::function<void(Watts)> take,
                        const std::string& help) {
  return add_several<Watts>(command, name, parse_watts, std::move(take), help, above_zero("W"));
}

CLI::Option* add_trial_time(CLI::App& command, std::optional<double>& seconds) {
  return add_duration(command, "--trial-time", [&seconds](Seconds time) { seconds = time.value; },
                      "Longest time of a live trial", {0.1, 3600, "100ms to 1h"})
      ->default_str("10s");
}

void add_interval(CLI::App& command, Seconds& interval, const std::string& help) {
  // A little under 1 ms: 1ms is not exactly a thousandth.
  add_duration(command, "--interval", [&interval](Seconds time) { interval = time; }, help,
               {0.001 * (1 - 1e-9), 3600, "1ms to 1h"})
      ->default_str("10ms");
}

}  // namespace flyball::cli
