// The main of every test program. Tests share a process, so each begins with the environment,
// working folder and signal actions that the process began with, and none that is not labelled slow
// may take longer than FLYBALL_TEST_LIMIT_S seconds. Of a program with tests of several sources
// FLYBALL_TEST_SOURCE names the one whose tests run.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <filesystem>
#include <string>
#include <vector>

namespace {

constexpr int kSignals = 32;

/// What a test may change of its process.
struct Surroundings {
  std::vector<std::string> environment;
  std::filesystem::path folder = std::filesystem::current_path();
  std::array<struct sigaction, kSignals> actions{};

  Surroundings() {
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry)
      environment.emplace_back(*entry);
    for (int signal = 1; signal < kSignals; ++signal)
      ::sigaction(signal, nullptr, &actions[static_cast<size_t>(signal)]);
  }
  void restore() const {
    const Surroundings now;
    if (now.environment != environment) {
      ::clearenv();
      for (const std::string& entry : environment)
        if (const size_t equals = entry.find('='); equals != std::string::npos)
          ::setenv(entry.substr(0, equals).c_str(), entry.c_str() + equals + 1, 1);
    }
    if (now.folder != folder) std::filesystem::current_path(folder);
    for (int signal = 1; signal < kSignals; ++signal)
      if (signal != SIGKILL && signal != SIGSTOP)
        ::sigaction(signal, &actions[static_cast<size_t>(signal)], nullptr);
  }
};

class Neighbours : public ::testing::EmptyTestEventListener {
 public:
  explicit Neighbours(double limit_s) : limit_s_(limit_s) {}

 private:
  void OnTestStart(const ::testing::TestInfo&) override { used_before_s_ = used_s(); }
  // A busy machine stretches every test: one is long when the clock and the processor both say so,
  // or when the clock says five times as much.
  void OnTestEnd(const ::testing::TestInfo& info) override {
    const double passed_s = static_cast<double>(info.result()->elapsed_time()) / 1000;
    const double took_s = std::max(std::min(passed_s, used_s() - used_before_s_), passed_s / 5);
    if (limit_s_ > 0 && took_s > limit_s_)
      ADD_FAILURE() << info.test_suite_name() << '.' << info.name() << " took " << took_s
                    << " s; tests over " << limit_s_ << " s belong into a _slow_test.cc";
    before_.restore();
  }

  // Processor time of this process and of its children that ended.
  static double used_s() {
    double sum = 0;
    for (const int whose : {RUSAGE_SELF, RUSAGE_CHILDREN}) {
      rusage used{};
      ::getrusage(whose, &used);
      for (const timeval& part : {used.ru_utime, used.ru_stime})
        sum += static_cast<double>(part.tv_sec) + 1e-6 * static_cast<double>(part.tv_usec);
    }
    return sum;
  }

  const Surroundings before_;
  const double limit_s_;
  double used_before_s_ = 0;
};

/// The tests that stand in `source` (`serve_test.cc`), as a filter.
std::string tests_of(const std::filesystem::path& source) {
  const ::testing::UnitTest& all = *::testing::UnitTest::GetInstance();
  std::string filter;
  for (int s = 0; s < all.total_test_suite_count(); ++s) {
    const ::testing::TestSuite& suite = *all.GetTestSuite(s);
    for (int t = 0; t < suite.total_test_count(); ++t) {
      const ::testing::TestInfo& test = *suite.GetTestInfo(t);
      if (std::filesystem::path(test.file()).filename() == source)
        filter.append(filter.empty() ? "" : ":")
            .append(suite.name())
            .append(".")
            .append(test.name());
    }
  }
  return filter;
}

}  // namespace

int main(int argc, char** argv) {
  // Tests that run at once measure as if each program had a machine of its own.
  ::setenv("FLYBALL_MACHINE", ("test-" + std::to_string(::getpid())).c_str(), 1);
  // Trees of tests have programs and libraries of their own.
  ::setenv("FLYBALL_TREE_PROGRAMS", "1", 1);
  ::testing::InitGoogleMock(&argc, argv);
  if (const char* source = ::getenv("FLYBALL_TEST_SOURCE"); source != nullptr) {
    const std::string filter = tests_of(source);
    if (filter.empty()) {
      std::fprintf(stderr, "no test stands in %s\n", source);
      return 2;
    }
    ::testing::GTEST_FLAG(filter) = filter;
  }
  const char* limit = ::getenv("FLYBALL_TEST_LIMIT_S");
  ::testing::UnitTest::GetInstance()->listeners().Append(
      new Neighbours(limit != nullptr ? ::atof(limit) : 0));
  return RUN_ALL_TESTS();
}
