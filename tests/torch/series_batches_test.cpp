#include "series_batches.hpp"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <limits>
#include <vector>

#include "diffeo/torch/network_input.hpp"

namespace diffeo {
namespace series_batches_test {

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();
const Normalization kAsTheyAre = {{0.0, 0.0}, {1.0, 1.0}};

std::vector<std::int64_t> lengths_of(const at::Tensor& batch) {
  const at::Tensor lengths = lengths_without_padding(batch);
  return {lengths.const_data_ptr<std::int64_t>(), lengths.const_data_ptr<std::int64_t>() + lengths.numel()};
}

TEST(SeriesBatches, PadToTheLongest) {
  Dataset set(1);
  set.add_case(std::vector<double>{1, 2, 3});
  set.add_case(std::vector<double>{4, 5, 6, 7, 8});
  const at::Tensor batch = series_batch(set, kAsTheyAre);
  EXPECT_EQ(batch.sizes(), (std::vector<std::int64_t>{2, 1, 5}));
  EXPECT_EQ(lengths_of(batch), (std::vector<std::int64_t>{3, 5}));
}

TEST(SeriesBatches, EndWhereTheSeriesEndsThoughItsLastValuesAreMissing) {
  Dataset set(2);
  set.add_case(std::vector<double>{1, 2, 3, kNan, kNan, 5, kNan, kNan, kNan, kNan});
  set.add_case(std::vector<double>{1, 2, 3, 4, 5, 6, 7, kNan, kNan, kNan, kNan, kNan, kNan, kNan});
  for (const at::ScalarType type : {at::kFloat, at::kDouble}) {
    const at::Tensor batch = series_batch(set, kAsTheyAre, {.precision = type});
    EXPECT_EQ(lengths_of(batch), (std::vector<std::int64_t>{5, 7}));
    const at::Tensor first = batch[0].to(at::kDouble);
    EXPECT_EQ(first[0][4].item<double>(), 3.0);
    EXPECT_EQ(first[1][4].item<double>(), 5.0);
    EXPECT_TRUE(first.slice(1, 3, 4).isnan().all().item<bool>());  // what is missing before it stays so
    EXPECT_TRUE(batch[1][1].isnan().all().item<bool>());           // a channel without values gets none
  }
}

}  // namespace series_batches_test
}  // namespace diffeo
