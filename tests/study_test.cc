// Ask and tell: the Python package over `flyball study`, as docs/python.md has it.
#include <gmock/gmock.h>

#include "base/json.h"
#include "command_testing.h"

namespace flyball::testing_tools {
namespace {

using ::testing::HasSubstr;

const std::string python = "/usr/bin/python3";

class StudyTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    environment_["PYTHONPATH"] = FLYBALL_BIN_DIR "/../python";
  }
  Finished script(const std::string& text) {
    const std::string place = write("script.py", text).string();
    const std::string former = std::exchange(program_, python);
    Finished done = run({place, FLYBALL_SOURCE_DIR});
    program_ = former;
    return done;
  }
};

TEST_F(StudyTest, AsksAndIsTold) {
  const Finished done = script(R"PY(
import flyball
with flyball.create_study({"batch_size": [16, 8, 32], "rate": [0.5, 1]}, power_budget="15W",
                          profiles=6) as study:
    assert study.best is None
    try:
        study.answer
        raise SystemExit("answered before the end")
    except flyball.Error as error:
        assert error.hint
    first = study.ask()
    assert first == study.ask() and first.config == {"batch_size": 16, "rate": 0.5}, first
    for trial in study:
        assert isinstance(trial["batch_size"], int) and isinstance(trial["rate"], (int, float))
        if trial["batch_size"] == 8 and trial["rate"] == 1:
            study.tell(trial, failure="out of\nmemory")
        else:
            study.tell(trial, minibatch_ms=4 + trial["batch_size"] / trial["rate"],
                       power_w=10 + trial["batch_size"] / 4)
    assert study.ask() is None and study.stopped and study.run == 1
    assert study.best.config == {"batch_size": 16, "rate": 1}, study.best
    assert study.best.minibatch_ms == 20 and study.best.power_w == 14
    assert study.answer["choice"]["config"] == {"batch_size": 16, "rate": 1}
    assert study.answer["trials"] == len(study.trials)
)PY");
  ASSERT_EQ(done.exit_code, 0) << done.err;
  // Its trials are kept like those of any run.
  const SortedJson runs = run({"runs", "list", "--json"}).json();
  ASSERT_EQ(runs["runs"].size(), 1u);
  EXPECT_EQ(runs["runs"][0]["state"], "done");
  EXPECT_GE(runs["runs"][0]["measurements"], 6);
}

TEST_F(StudyTest, ANamedStudyGoesOnWhereItWasAndKnowsItsTrials) {
  const std::string text = R"PY(
import flyball
study = flyball.create_study({"batch_size": [16, 8, 32]}, name="mine")
asked = 0
for trial in study:
    asked += 1
    study.tell(trial, minibatch_ms=4.0 + trial["batch_size"])
    if stop_early: raise SystemExit(0)
print(asked, study.best.config["batch_size"])
)PY";
  environment_["PYTHONDONTWRITEBYTECODE"] = "1";
  const std::string place = write("named.py", "import os\nstop_early = os.path.exists('" +
                                                  (folder_ / "stop").string() + "')\n" + text)
                                .string();
  program_ = python;
  write("stop", "");
  ASSERT_EQ(run({place}).exit_code, 0);
  fs::remove(folder_ / "stop");
  const Finished second = run({place}), third = run({place});
  ASSERT_EQ(second.exit_code, 0) << second.err;
  EXPECT_EQ(second.out, "4 32\n");  // the other two, and the answer and the default once more
  EXPECT_EQ(third.out, "0 32\n") << third.err;
  // The interpreter of another environment, which is a link to the same one.
  const fs::path other = folder_ / "venv" / "bin" / "python3";
  fs::create_directories(other.parent_path());
  fs::create_symlink(python, other);
  program_ = other.string();
  const Finished fourth = run({place});
  ASSERT_EQ(fourth.exit_code, 0) << fourth.err;
  EXPECT_NE(fourth.out, "0 32\n");
}

TEST_F(StudyTest, OptimizeTimesTheMarkedMinibatches) {
  const Finished done = script(R"PY(
import time, flyball
def train(trial):
    for batch in flyball.mark(range(100000)):
        time.sleep(0.01 * trial["size"])
        if trial.enough: break
study = flyball.create_study({"size": [2, 1]}, default={"size": 2})
best = study.optimize(train, profiles=2, trial_time=1, warm_up=0.05)
assert best.config == {"size": 1} and 10 < best.minibatch_ms < 20, best
assert study.answer["request"]["profiles_limit"] == 2
trials = study.answer["profiled"]
assert all(trial["minibatches"] > 10 for trial in trials), trials

def whole(trial):
    if trial["size"] == 3: raise MemoryError("too large")
    time.sleep(0.1 * trial["size"])
best = flyball.create_study({"size": [2, 1, 3]}).optimize(whole)
assert best.config == {"size": 1} and 100 < best.minibatch_ms < 200, best

def learns(trial):
    flyball.report("accuracy", 1 - 0.1 * trial["size"])
    time.sleep(0.3 / trial["size"])
study = flyball.create_study({"size": [2, 1, 3]}, at_least={"accuracy": 0.75})
best = study.optimize(learns)
assert best.config == {"size": 2}, best
assert study.answer["choice"]["figures"] == {"accuracy": 0.8}
study = flyball.create_study({"size": [2, 1, 3]}, at_least={"accuracy": 0.95})
assert study.optimize(learns) is None and "accuracy" in study.answer["infeasible"]["reason"]

def broken(trial): raise KeyError("mine")
try:
    flyball.create_study({"size": [2, 1, 3]}).optimize(broken)
    raise SystemExit("nothing was raised")
except KeyError:
    assert flyball._marks._listener is None
    assert not flyball._window._open.windows, "its windows are open"
)PY");
  EXPECT_EQ(done.exit_code, 0) << done.err;
}

// A study is a session that measures, as a tune is: one at a time.
TEST_F(StudyTest, OneSessionMeasuresAtATime) {
  const Finished done = script(R"PY(
import sys, threading, time, flyball
sys.stderr.reconfigure(line_buffering=True)
def study(**more): return flyball.create_study({"size": [2, 1]}, keep=False, **more)
def run(trial): time.sleep(0.1 * trial["size"])
first = study()
first.ask()
second = study()
try:
    second.ask()
    raise SystemExit("not refused")
except flyball.Error as error:
    assert "wait=True" in error.hint and "force=True" in error.hint and "--" not in error.hint, error
beside = study()
assert beside.optimize(run, force=True) is not None
assert all(trial["disturbed"] for trial in beside.answer["profiled"])
assert not beside.answer["comparison"]["established"]
def close_when_waited_for():
    for _ in range(600):
        if "waiting for process" in open("/proc/self/fd/2").read(): break
        time.sleep(0.1)
    first.close()
threading.Thread(target=close_when_waited_for).start()
waiting = study(wait=True)
assert waiting.optimize(run).config == {"size": 1}
alone = second.optimize(run)  # nobody measures now
assert alone is not None and not any(trial["disturbed"] for trial in second.answer["profiled"])
try:
    study(wait=True, force=True)
    raise SystemExit("not refused")
except flyball.Error as error:
    assert error.hint
)PY");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.err, HasSubstr("flyball: waiting for process"));
}

TEST_F(StudyTest, WhatCannotBeIsRefusedWithAHint) {
  const Finished done = script(R"PY(
import flyball
def refused(make):
    try:
        make()
    except flyball.Error as error:
        assert error.message and error.hint, error
        assert "--" not in error.message + error.hint, error
        print(error.message)
    else:
        raise SystemExit("not refused")
refused(lambda: flyball.create_study({}))
refused(lambda: flyball.create_study({"size": ["small"]}))
refused(lambda: flyball.create_study({"size": [1, 2]}, power_budget="30 bananas"))
refused(lambda: flyball.create_study({"size": [1, 2]}, objective="beauty"))
refused(lambda: flyball.create_study({"size": [1, 2]}, strategy="luck"))
study = flyball.create_study({"size": [1, 2]})
trial = study.ask()
refused(lambda: study.tell(trial))
refused(lambda: study.tell(trial, minibatch_ms=-1))
refused(lambda: study.tell(trial, minibatch_ms=float("nan")))
study.tell(trial, minibatch_ms=3)
refused(lambda: study.tell(trial, minibatch_ms=3))
study.close()
refused(lambda: study.ask())
import json, os
dear = flyball.create_study({"size": [1, 2]}, power_budget="10W", keep=False)
for trial in dear:
    dear.tell(trial, minibatch_ms=5, power_w=40)
assert dear.answer["infeasible"] and "power_budget" in json.dumps(dear.answer["infeasible"])
assert "--" not in json.dumps(dear.answer["infeasible"]), dear.answer["infeasible"]
assert "--" not in json.dumps(dear.answer["notes"]), dear.answer["notes"]
refused(lambda: flyball.create_study({"size": [1, 2]}, store="/dev/null/no/store.db"))
os.environ["FLYBALL_PROGRAM"] = "/no/such/program"
refused(lambda: flyball.create_study({"size": [1, 2]}))
)PY");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("30 bananas"));
  EXPECT_EQ(done.err, "");
}

TEST_F(StudyTest, TheExamplesOfTheDocsRun) {
  const Finished done = script(R"PY(
import pathlib, re, sys
import flyball
text = (pathlib.Path(sys.argv[1]) / "docs/python.md").read_text().partition("## Ask and tell")[2]
blocks = re.findall(r"```python\n(.*?)```", text, re.S)
assert len(blocks) == 2
names = {"measure": lambda batch, workers: (5 + batch / (1 + workers), 10 + batch / 4 + workers)}
exec(blocks[0], names)
assert names["study"].best.power_w <= 30 and names["study"].best.config["workers"] == 2
class DataLoader:
    def __init__(self, data, batch_size): self.steps = [(0, 0)] * 40
    def __iter__(self): return iter(self.steps)
names = {"DataLoader": DataLoader, "data": 0, "step": lambda samples, labels: None, "flyball": flyball,
         "study": flyball.create_study({"batch_size": [16, 8]})}
exec(blocks[1], names)
assert names["best"].config["batch_size"] in (8, 16)
)PY");
  EXPECT_EQ(done.exit_code, 0) << done.err;
  EXPECT_THAT(done.out, HasSubstr("Best(config="));
  program_ = python;
  const Finished example = run({FLYBALL_SOURCE_DIR "/examples/study.py"});
  EXPECT_EQ(example.exit_code, 0) << example.err;
  EXPECT_THAT(example.out, HasSubstr("best: {'batch_size':"));
}

TEST_F(StudyTest, TypesAreRight) {
  if (std::system("/usr/bin/python3 -m mypy --version >/dev/null 2>&1") != 0)
    GTEST_SKIP() << "no mypy (package mypy)";
  program_ = python;
  environment_["MYPYPATH"] = FLYBALL_BIN_DIR "/../python";
  const Finished done =
      run({"-m", "mypy", "--strict", "--cache-dir", (folder_ / "mypy").string(), "-p", "flyball"});
  EXPECT_EQ(done.exit_code, 0) << done.out << done.err;
  const Finished example =
      run({"-m", "mypy", "--strict", "--cache-dir", (folder_ / "mypy").string(),
           FLYBALL_SOURCE_DIR "/examples/study.py"});
  EXPECT_EQ(example.exit_code, 0) << example.out << example.err;
}

}  // namespace
}  // namespace flyball::testing_tools
