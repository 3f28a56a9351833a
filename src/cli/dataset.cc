#include <fmt/format.h>

#include "cli/commands.h"
#include "cli/output.h"
#include "data/digits.h"

namespace flyball::cli {
namespace {

struct MakeOptions {
  std::string kind = "digits", out;
  int64_t samples = 60000;
  uint64_t seed = 1;
};

Status make(const MakeOptions& options) {
  if (options.kind != "digits")
    return Error{Code::invalid_argument, fmt::format("no dataset '{}' can be made", options.kind),
                 "one of: digits"};
  DigitsOptions digits;
  digits.train = options.samples;
  digits.test = std::max<int64_t>(1, options.samples / 6);
  digits.seed = options.seed;
  FLYBALL_CHECK(make_digits(options.out, digits));
  fmt::print("{} + {} digits in {}\n", digits.train, digits.test, options.out);
  return {};
}

}  // namespace

void add_dataset(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("dataset", "make and check datasets");
  command->require_subcommand(1);
  command->footer("Example:\n  flyball dataset make digits --out data/digits");
  CLI::App* maker = command->add_subcommand("make", "write a synthetic dataset in its true format");
  auto options = std::make_shared<MakeOptions>();
  maker->add_option("kind", options->kind, "digits")->required();
  maker->add_option("--out", options->out, "folder")->required();
  maker->add_option("--samples", options->samples, "training samples; a sixth more for the test")
      ->check(CLI::Range(int64_t{1}, int64_t{100000000}))
      ->capture_default_str();
  maker->add_option("--seed", options->seed, "of the drawing")->capture_default_str();
  maker->footer("Example:\n  flyball dataset make digits --out data/digits");
  maker->callback([options, &context] {
    const Status status = make(*options);
    if (!status.ok()) context.exit_code = report_error(status.error());
  });
}

}  // namespace flyball::cli
