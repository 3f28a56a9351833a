#include "predictors/registry.h"

#include <gtest/gtest.h>

namespace flyball {
namespace {

TEST(Predictors, AreMadeByTheirNames) {
  for (const PredictorEntry& entry : predictors()) {
    const auto predictor = make_predictor(entry.name);
    ASSERT_TRUE(predictor.ok()) << entry.name;
    const std::string own = (*predictor)->name();
    EXPECT_EQ(own, entry.name == "auto" ? "transfer-gp" : entry.name);
  }
}

TEST(Predictors, NetworksTakeOptionsBehindTheirName) {
  EXPECT_TRUE(make_predictor("transfer-nn+mape+reference=546").ok());
  for (const char* wrong :
       {"nn+huber", "nn+epochs", "nn+epochs=0", "nn+epochs=x", "gp+mape", "nn+"})
    EXPECT_FALSE(make_predictor(wrong).ok()) << wrong;
}

}  // namespace
}  // namespace flyball
