// A small program of two levels, whose pages and completions are tested.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace flyball::cli {

struct TestedProgram {
  TestedProgram() {
    CLI::App* tune = app.add_subcommand("tune", "find it");
    tune->add_option("workload,--workload", text, "what runs");
    tune->add_option("-p,--phase", text, "which one")->check(CLI::IsMember({"train", "infer"}));
    tune->add_option("--device", text, "the user's board's \\ name");
    tune->add_option("--old", text, "as --device")->group("");
    tune->add_option("--out", text, "where")->type_name("FOLDER");
    tune->add_flag("-q,--quiet", flag, "no progress");
    tune->footer("It asks: nothing else.\n.begins with a dot\nExample:\n  flyball tune x\n  'y'\n");
    CLI::App* plan = app.add_subcommand("plan", "advice");
    plan->require_subcommand(1);
    plan->add_subcommand("training", "of one role: ≤ 30 W");
    app.add_subcommand("secret", "not told")->group("");
  }

  CLI::App app{"Finds things.", "flyball"};
  std::string text{};
  bool flag = false;
};

}  // namespace flyball::cli
