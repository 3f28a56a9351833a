#include "device/modes/nvpmodel_conf.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace flyball {
namespace {

using testing::HasSubstr;

const char* const params =
    "<PARAM TYPE=FILE NAME=GPU>\n"
    "MAX_FREQ /sys/gpu/max_freq\n"
    "  MIN_FREQ\t/sys/gpu/min_freq   # of the GPU\n"
    "< PARAM TYPE=CLOCK NAME=EMC >\nMAX_FREQ /sys/emc\n";

TEST(NvpmodelConf, TakesWhatFilesInTheWildHold) {
  const NvpmodelConf conf =
      parse_nvpmodel(std::string("# comment\r\n\n") + params +
                         "< POWER_MODEL ID=0 NAME=MAXN >\r\nGPU MAX_FREQ -1\nEMC MAX_FREQ 0\n"
                         "<POWER_MODEL ID=17 NAME=MY_OWN>\n\n   GPU   MAX_FREQ   612000000  \n"
                         "<PM_CONFIG DEFAULT=17>\n< FAN_CONFIG DEFAULT=quiet >\n",
                     "conf");
  EXPECT_TRUE(conf.refused.empty()) << conf.refused.at(0).message;
  ASSERT_EQ(conf.modes.size(), 2u);
  EXPECT_EQ(conf.modes[0].settings.at(0).value, "-1");
  EXPECT_EQ(conf.modes[0].settings.at(1).path, "/sys/emc");
  EXPECT_EQ(conf.modes[1].id, 17);
  EXPECT_EQ(conf.modes[1].settings.at(0).value, "612000000");
  EXPECT_EQ(conf.default_mode, 17);
}

TEST(NvpmodelConf, NamesTheLineThatItRefuses) {
  const auto refused = [](const std::string& more) {
    const NvpmodelConf conf = parse_nvpmodel(params + more, "conf");
    EXPECT_EQ(conf.refused.size(), 1u) << more;
    return conf.refused.empty() ? "" : conf.refused[0].message;
  };
  EXPECT_THAT(refused("< POWER_MODEL NAME=X >\n"), HasSubstr("conf:6: this mode has no ID"));
  EXPECT_THAT(refused("< POWER_MODEL ID=1 NAME=X\n"),
              HasSubstr("conf:6: this block is not closed"));
  EXPECT_THAT(refused("< POWER_MODEL ID=1 NAME=X >\nDLA MAX 1\n"), HasSubstr("no PARAM DLA"));
  EXPECT_THAT(refused("< POWER_MODEL ID=1 NAME=X >\nGPU TPC 1\n"), HasSubstr("no argument TPC"));
  EXPECT_THAT(refused("< POWER_MODEL ID=1 NAME=X >\nGPU MAX_FREQ\n"), HasSubstr("a value were"));
  EXPECT_THAT(refused("< PM_CONFIG DEFAULT= >\n"), HasSubstr("no ID of a mode"));
  EXPECT_THAT(refused("< SOMETHING X=1 >\n"), HasSubstr("no block SOMETHING"));
  EXPECT_THAT(refused("\x01\xff\n"), HasSubstr("conf:6: this"));
  EXPECT_THAT(refused("< POWER_MODEL ID=1 NAME=A >\n< POWER_MODEL ID=1 NAME=B >\n"),
              HasSubstr("there is a mode 1 already"));
}

TEST(NvpmodelConf, AMissingDefaultIsNone) {
  EXPECT_FALSE(parse_nvpmodel(params, "conf").default_mode);
  EXPECT_TRUE(parse_nvpmodel("", "conf").modes.empty());
}

TEST(NvpmodelConf, TheModeInForce) {
  EXPECT_EQ(parse_nvpmodel_status("pmode:0002 fmode:quiet\n"), 2);
  EXPECT_FALSE(parse_nvpmodel_status("pmode: fmode:quiet"));
  EXPECT_FALSE(parse_nvpmodel_status(""));
  EXPECT_FALSE(parse_nvpmodel_status("pmode:99999999999999999999"));
}

}  // namespace
}  // namespace flyball
