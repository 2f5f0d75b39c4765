#include "diffeo/settings_grid.hpp"

#include <gtest/gtest.h>

#include "support/message_of.hpp"

namespace diffeo {
namespace settings_grid_test {

using testing::message_of;

TEST(SettingsGrid, IsReadAsTyped) {
  EXPECT_EQ(factor_of("cells=16,32"), (Factor{"cells", {"16", "32"}}));
  EXPECT_EQ(factor_of("prior-weight= 0 , 1e-3"), (Factor{"prior_weight", {"0", "1e-3"}}));
  EXPECT_EQ(factor_of("widths=32,32;64,64,64"), (Factor{"widths", {"32,32", "64,64,64"}}));
  EXPECT_EQ(factor_of("loss=variance,variance + 3 cross-entropy"),
            (Factor{"loss", {"variance", "variance + 3 cross-entropy"}}));
}

TEST(SettingsGrid, HasEveryCombinationTheFirstFactorChangingSlowest) {
  const std::vector<Factor> factors = {{"cells", {"16", "32"}}, {"layers", {"1", "5"}}};
  const std::vector<Setting> expected = {{{"cells", "16"}, {"layers", "1"}},
                                         {{"cells", "16"}, {"layers", "5"}},
                                         {{"cells", "32"}, {"layers", "1"}},
                                         {{"cells", "32"}, {"layers", "5"}}};
  EXPECT_EQ(settings_grid(factors), expected);
  EXPECT_EQ(settings_grid({}), std::vector<Setting>{{}});
}

TEST(SettingsGrid, OfThePaperHas96SettingsThatTrainingTakes) {
  const std::vector<Setting> settings = settings_grid(paper_grid());
  EXPECT_EQ(settings.size(), 3u * 2 * 2 * 2 * 2 * 2);
  for (const Setting& setting : settings) EXPECT_NO_THROW((void)with_setting(preset("paper"), setting));
}

TEST(SettingsGrid, RefusesWhatTrainingOptionsRefuse) {
  EXPECT_EQ(message_of([] { (void)factor_of("cells"); }), "expected name=value,value,..., got cells");
  EXPECT_NE(message_of([] { (void)factor_of("cels=3"); }).find("such as cells"), std::string::npos);
  EXPECT_NE(message_of([] { (void)factor_of("cells=many"); }).find("cells: expected an integer"), std::string::npos);
  EXPECT_EQ(message_of([] { (void)factor_of("length-scale=0.1,1e-1"); }),
            "length_scale: expected different values, got 1e-1 twice");
  const std::vector<Factor> twice = {{"cells", {"3"}}, {"cells", {"4"}}};
  EXPECT_EQ(message_of([&] { (void)settings_grid(twice); }), "cells: expected to vary it once, got it twice");
  EXPECT_NE(message_of([] { (void)with_setting({}, {{"kernels", "3"}}); }).find("(with kernels 3)"), std::string::npos);
}

}  // namespace settings_grid_test
}  // namespace diffeo
