#include "experiments/processor_model.hpp"

#include <gtest/gtest.h>

#include <sstream>

namespace diffeo {
namespace processor_model_test {

std::string model_in(const std::string& text) {
  std::istringstream stream(text);
  return processor_model(stream);
}

TEST(ProcessorModel, IsThatOfTheFirstProcessor) {
  EXPECT_EQ(model_in("processor\t: 0\nmodel\t\t: 17\nmodel name\t: AMD EPYC 9654 \nflags\t: a\n\nmodel name\t: B\n"),
            "AMD EPYC 9654");
}

TEST(ProcessorModel, IsUnknownWhereNoneIsNamed) {
  EXPECT_EQ(model_in(""), "unknown");
  EXPECT_EQ(model_in("processor\t: 0\nmodel name\t:\nBogoMIPS\t: 50\n"), "unknown");
}

TEST(ProcessorModel, OfThisMachineHasAName) { EXPECT_FALSE(processor_model().empty()); }

}  // namespace processor_model_test
}  // namespace diffeo
