#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/json.h"
#include "base/text.h"
#include "cli/action.h"
#include "cli/checks.h"
#include "cli/commands.h"
#include "cli/common_options.h"
#include "cli/output.h"
#include "data/formats/open.h"
#include "data/makers/check.h"
#include "data/makers/make.h"
#include "data/text/question_set.h"

namespace flyball::cli {
namespace {

// Small to draw, so that their usual size is drawn.
constexpr std::array<std::string_view, 3> whole_kinds = {"digits", "mnist", "wikitext"};

struct MakeArguments {
  std::string kind, out;
  int64_t samples = 0;
  MakeOptions options;
};

struct CheckArguments {
  std::string folder;
  size_t threads = 0;
  bool json = false;
};

void print_parts(const DatasetReport& report, const std::string& folder) {
  TextTable table({"part", "samples", "classes", "samples per class", "MB"});
  for (const DatasetPart& part : report.parts)
    table.add({part.name, fmt::format("{}", part.samples),
               part.classes == 0 ? "-" : fmt::format("{}", part.classes),
               part.classes == 0 ? "-"
               : part.smallest_class == part.largest_class
                   ? fmt::format("{}", part.smallest_class)
                   : fmt::format("{} to {}", part.smallest_class, part.largest_class),
               fmt::format("{:.1f}", static_cast<double>(part.bytes) / 1e6)});
  fmt::print("{}: {}\n{}", folder, report.kind, table.str());
}

std::string classes_text(const Dataset& set) {
  if (const auto tokens = row_tokens(set))
    return fmt::format("rows of {} tokens of {}", *tokens, set.classes());
  return fmt::format("{} classes", set.classes());
}

Status make(const MakeArguments& arguments) {
  const int64_t samples = arguments.samples > 0                                 ? arguments.samples
                          : std::ranges::count(whole_kinds, arguments.kind) > 0 ? 60000
                                                                                : 1000;
  FLYBALL_CHECK(make_dataset(arguments.kind, samples, arguments.out, arguments.options));
  FLYBALL_ASSIGN(const std::string kind, detect_dataset(arguments.out));
  for (const Split split : {Split::train, Split::test}) {
    if (!has_part(arguments.out, kind, split)) continue;
    FLYBALL_ASSIGN(const DatasetPtr set, open_dataset(arguments.out, split));
    fmt::print("{}: {} {} samples of {} in {}\n", arguments.out, set->size(),
               split == Split::train ? "training" : "test", kind, classes_text(*set));
  }
  return {};
}

Json report_json(const DatasetReport& report, const std::string& folder) {
  auto parts = Json::array();
  for (const DatasetPart& part : report.parts)
    parts.push_back({{"name", part.name},
                     {"samples", part.samples},
                     {"classes", part.classes},
                     {"bytes", part.bytes},
                     {"smallest_class", part.smallest_class},
                     {"largest_class", part.largest_class}});
  auto problems = Json::array();
  for (const Error& problem : report.problems)
    problems.push_back({{"reason", problem.message}, {"hint", problem.hint}});
  return {{"folder", folder},     {"kind", report.kind},
          {"parts", parts},       {"problem_count", report.problem_count},
          {"problems", problems}, {"ignored", report.ignored},
          {"notes", report.notes}};
}

void print_report(const DatasetReport& report, const std::string& folder) {
  print_parts(report, folder);
  if (!report.ignored.empty())
    fmt::print("{} files are no JPEGs and are ignored, such as {}\n", report.ignored.size(),
               report.ignored.front());
  for (const std::string& note : report.notes) fmt::print("{}\n", note);
  for (const Error& problem : report.problems) fmt::print("broken: {}\n", problem.message);
  if (report.problem_count == 0)
    fmt::print("every sample can be read\n");
  else
    fmt::print("{} broken\n", report.problem_count);
}

// The report is printed in any case; exit code 1 is kept for infeasible problems.
Status check(const CheckArguments& arguments, Context& context) {
  FLYBALL_ASSIGN(const DatasetReport report, check_dataset(arguments.folder, arguments.threads));
  if (arguments.json)
    print_json(report_json(report, arguments.folder));
  else
    print_report(report, arguments.folder);
  if (report.problem_count > 0) context.exit_code = 2;
  return {};
}

void add_make(CLI::App& group, Context& context) {
  CLI::App* command = group.add_subcommand("make", "Write a synthetic dataset in its true format");
  auto arguments = std::make_shared<MakeArguments>();
  command
      ->add_option("kind", arguments->kind,
                   "Kind of the dataset: digits, " + join(dataset_kinds(), ", "))
      ->required();
  writes(command->add_option("--out", arguments->out, "Folder to write, new or empty"), "FOLDER")
      ->required();
  command
      ->add_option("--samples", arguments->samples,
                   "Training samples (of squad texts, each with some questions), and a part more "
                   "for the test; default: 60000 digits or windows of text, 1000 of others")
      ->check(CLI::Range(int64_t{1}, int64_t{100000000}));
  command
      ->add_option("--classes", arguments->options.classes,
                   "Classes of images and gld23k (default: 10), and of coco (default: 80)")
      ->check(CLI::Range(int64_t{1}, int64_t{100000}));
  add_seed(*command, arguments->options.seed, "Seed of the drawing");
  command->footer("Example:\n  flyball dataset make images --samples 2000 --out data/images");
  set_action(*command, context, [arguments] { return make(*arguments); });
}

void add_check(CLI::App& group, Context& context) {
  CLI::App* command =
      group.add_subcommand("check", "Read and decode every sample: what is there, what is broken");
  auto arguments = std::make_shared<CheckArguments>();
  command->add_option("folder", arguments->folder, "Dataset folder")->required();
  add_threads(*command, arguments->threads);
  add_json_flag(*command, arguments->json);
  command->footer(
      "Exit code 2 when anything is broken.\n"
      "Example:\n  flyball dataset check data/images");
  set_action(*command, context, [arguments, &context] { return check(*arguments, context); });
}

}  // namespace

void add_dataset(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("dataset", "Make and check datasets");
  command->require_subcommand(1);
  command->footer("Example:\n  flyball dataset make digits --out data/digits");
  add_make(*command, context);
  add_check(*command, context);
}

}  // namespace flyball::cli
