#include "cli/manual/man_page.h"

#include <gmock/gmock.h>

#include "cli/manual/manual_testing.h"

namespace flyball::cli {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

std::string page_of(const std::string& path) {
  const TestedProgram program;
  const auto commands = list_commands(program.app);
  for (const ListedCommand& command : commands)
    if (command.path == path)
      return man_page(command, commands, {.date = "2026-03-01", .version = "flyball 9"});
  return "";
}

TEST(ManPage, HasNameSynopsisOptionsAndExamples) {
  EXPECT_EQ(page_of("flyball tune"), R"(.TH "FLYBALL\-TUNE" 1 "2026-03-01" "flyball 9" "Flyball"
.nh
.ad l
.SH NAME
flyball\-tune \- find it
.SH SYNOPSIS
\fBflyball tune\fR [OPTIONS] [workload]
.SH DESCRIPTION
It asks: nothing else.
\&.begins with a dot
.SH ARGUMENTS
.TP
\fBworkload\fR \fITEXT\fR
what runs
.SH OPTIONS
.TP
\fB\-h\fR, \fB\-\-help\fR
Print this help message and exit
.TP
\fB\-\-workload\fR \fITEXT\fR
what runs
.TP
\fB\-p\fR, \fB\-\-phase\fR \fItrain|infer\fR
which one
.TP
\fB\-\-device\fR \fITEXT\fR
the user\(aqs board\(aqs \(rs name
.TP
\fB\-\-out\fR \fIFOLDER\fR
where
.TP
\fB\-q\fR, \fB\-\-quiet\fR
no progress
.SH EXAMPLES
.EX
flyball tune x
\(aqy\(aq
.EE
.SH SEE ALSO
\fBflyball\fR(1)
)");
}

TEST(ManPage, RefersToThePagesBelowAndAbove) {
  EXPECT_THAT(page_of("flyball"),
              HasSubstr(".TP\n\\fBplan\\fR\nadvice; see \\fBflyball\\-plan\\fR(1).\n"));
  EXPECT_THAT(page_of("flyball"), Not(HasSubstr("secret")));
  EXPECT_THAT(page_of("flyball"), Not(HasSubstr("training")));
  EXPECT_THAT(page_of("flyball plan training"),
              HasSubstr(".SH SEE ALSO\n\\fBflyball\\-plan\\fR(1)\n"));
}

TEST(ManPage, IsAscii) {
  EXPECT_THAT(page_of("flyball plan training"), HasSubstr("of one role: \\[u2264] 30 W\n"));
}

}  // namespace
}  // namespace flyball::cli
