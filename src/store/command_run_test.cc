#include "store/command_run.h"

#include <gtest/gtest.h>

#include "base/os/temp_folder.h"

namespace flyball {
namespace {

TEST(CommandRun, GoesOnOnlyWhereItWasInterrupted) {
  const TempFolder folder;
  Store store = Store::open(folder / "store.db").value();
  const RunRequest asked{"flyball tune", "{}", "host", "a CPU", 1, {}};
  const int64_t first = store.begin_or_resume(asked).value();
  ASSERT_TRUE(end_run(store, first, Error{Code::interrupted, "stopped", ""}, "no answer").ok());
  EXPECT_EQ(store.run(first)->state, RunState::interrupted);
  EXPECT_EQ(store.run(first)->answer, "");
  EXPECT_EQ(store.begin_or_resume(asked).value(), first);
  EXPECT_EQ(store.run(first)->state, RunState::running);
  ASSERT_TRUE(end_run(store, first, {}, "{}").ok());
  EXPECT_EQ(store.run(first)->state, RunState::done);
  EXPECT_EQ(store.run(first)->answer, "{}");
  const int64_t second = store.begin_or_resume(asked).value();
  EXPECT_NE(second, first) << "a finished run is not begun again";
  ASSERT_TRUE(end_run(store, second, Error{Code::io, "no room", ""}, "").ok());
  EXPECT_EQ(store.run(second)->state, RunState::failed);
}

}  // namespace
}  // namespace flyball
