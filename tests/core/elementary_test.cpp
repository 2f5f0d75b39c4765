// The functions below all kernels, against long double.
#define DIFFEO_TARGET for_tests
#define DIFFEO_VECTOR_BYTES 16
#include "core/kernels/elementary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "diffeo/random.hpp"

namespace diffeo::kernels::for_tests {
namespace elementary_test {

constexpr std::uint64_t kSeed = 20;
constexpr int kDraws = 200'000;

// In units of the last place (relative to 2^-52 or 2^-23), as the header states; the moments lose the few bits that the
// closed form cancels right above the switch from the series (docs/math.md, 1.3).
constexpr double kLogUlps = 4, kMomentUlps = 12, kExpUlps = 2, kSlopeUlps = 16;

template <class Real>
double ulps(Real value, long double exact) {
  return static_cast<double>(std::fabs((static_cast<long double>(value) - exact) / exact)) /
         static_cast<double>(std::numeric_limits<Real>::epsilon());
}

/// M(w) without cancellation: the integral of q/(1+wq)^2 as a series, or the closed form far from 0.
long double exact_moment(long double w) {
  if (w > 0.05L) return (std::log1p(w) - w / (1 + w)) / (w * w);
  long double sum = 0, power = 1;
  for (int k = 0; k < 24; ++k, power *= -w)
    sum += power * static_cast<long double>(k + 1) / static_cast<long double>(k + 2);
  return sum;
}

long double exact_slope(long double z) {
  if (std::fabs(z) > 0.05L) return (z * std::exp(z) - std::expm1(z)) / (z * z);
  long double sum = 0, term = 0.5L;
  for (int k = 0; k < 20; ++k) {
    sum += static_cast<long double>(k + 1) * term;
    term *= z / static_cast<long double>(k + 3);
  }
  return sum;
}

/// From far below the smallest argument that matters to the largest allowed.
template <class Real>
Real random_size(Random& random, double largest) {
  return static_cast<Real>(std::pow(10.0, -30 + (std::log10(largest) + 30) * random.uniform()));
}

template <class Real>
void expect_exact_logarithms(double largest) {
  Random random(kSeed);
  double worst_log = 0, worst_moment = 0;
  for (int i = 0; i < kDraws; ++i) {
    const Real w = random_size<Real>(random, largest);
    const Real reciprocal = static_cast<Real>(1 / (1 + static_cast<long double>(w)));
    const LogParts<Real> parts = log1p_nonnegative<true>(w, reciprocal);
    worst_log = std::max(worst_log, ulps(parts.log1p, std::log1p(static_cast<long double>(w))));
    worst_moment = std::max(worst_moment, ulps(parts.moment, exact_moment(w)));
  }
  EXPECT_LE(worst_log, kLogUlps);
  EXPECT_LE(worst_moment, kMomentUlps);
}

template <class Real>
void expect_exact_exponentials(double largest) {
  Random random(kSeed);
  double worst_exp = 0, worst_slope = 0;
  for (int i = 0; i < kDraws; ++i) {
    const Real z = random_size<Real>(random, largest) * (random.uniform() < 0.5 ? Real(1) : Real(-1));
    const ExpParts<Real> parts = expm1_bounded<true>(z);
    worst_exp = std::max(worst_exp, ulps(parts.expm1, std::expm1(static_cast<long double>(z))));
    worst_exp = std::max(worst_exp, ulps(parts.exp, std::exp(static_cast<long double>(z))));
    worst_slope = std::max(worst_slope, ulps(parts.slope, exact_slope(z)));
  }
  EXPECT_LE(worst_exp, kExpUlps);
  EXPECT_LE(worst_slope, kSlopeUlps);
}

TEST(Elementary, LogarithmsAndTheirMomentsAreExactInDouble) { expect_exact_logarithms<double>(1e130); }
TEST(Elementary, LogarithmsAndTheirMomentsAreExactInFloat) { expect_exact_logarithms<float>(1e17); }
TEST(Elementary, ExponentialsAndTheirSlopesAreExactInDouble) { expect_exact_exponentials<double>(700); }
TEST(Elementary, ExponentialsAndTheirSlopesAreExactInFloat) { expect_exact_exponentials<float>(80); }

TEST(Elementary, LogarithmsAreExactWhereTheirExponentChanges) {
  float w = 0.4142f;
  for (int i = 0; i < 2000; ++i, w = std::nextafter(w, 1.0f)) {
    EXPECT_LE(ulps(log1p_nonnegative<false>(w, w).log1p, std::log1p(static_cast<long double>(w))), kLogUlps) << w;
  }
  double v = 0.41421356237309;
  for (int i = 0; i < 2000; ++i, v = std::nextafter(v, 1.0)) {
    EXPECT_LE(ulps(log1p_nonnegative<false>(v, v).log1p, std::log1p(static_cast<long double>(v))), kLogUlps) << v;
  }
}

/// How far log(a / b) is off, in units of its last place.
template <class Real>
double ratio_ulps(Real a, Real b) {
  const long double excess = (static_cast<long double>(a) - b) / b;
  const bool is_near = std::fabs(excess) < 0.5L;
  const long double exact =
      is_near ? std::log1p(excess) : std::log(static_cast<long double>(a)) - std::log(static_cast<long double>(b));
  const long double error = std::fabs(static_cast<long double>(log_ratio(a, b)) - exact);
  if (exact == 0) return static_cast<double>(error);
  const long double unit = std::numeric_limits<Real>::epsilon() * std::fabs(exact);
  return static_cast<double>(error / unit);
}

template <class Real>
void expect_exact_ratios(double exponents) {
  Random random(kSeed);
  double worst = 0;
  for (int i = 0; i < kDraws; ++i) {
    const auto b = static_cast<Real>(std::pow(10.0, exponents * (2 * random.uniform() - 1)));
    const auto far = static_cast<Real>(std::pow(10.0, exponents * (2 * random.uniform() - 1)));
    const auto near = b * static_cast<Real>(1 + std::pow(10.0, -12 * random.uniform()));
    worst = std::max({worst, ratio_ulps(far, b), ratio_ulps(near, b), ratio_ulps(b, near), ratio_ulps(b, b)});
  }
  EXPECT_LE(worst, kLogUlps);
}
TEST(Elementary, LogarithmsOfRatiosAreExactInDouble) { expect_exact_ratios<double>(300); }
TEST(Elementary, LogarithmsOfRatiosAreExactInFloat) { expect_exact_ratios<float>(37); }

TEST(Elementary, ExponentialsOfVeryNegativeArgumentsVanish) {
  const ExpParts<double> parts = expm1_bounded<true>(-1e5);
  EXPECT_EQ(parts.exp, 0.0);
  EXPECT_EQ(parts.expm1, -1.0);
  EXPECT_DOUBLE_EQ(parts.slope, 1e-10);
}

TEST(Elementary, VectorsGiveTheSameBitsAsScalars) {
  Random random(kSeed);
  for (int i = 0; i < 1000; ++i) {
    const DoubleLanes w = {random.uniform(), 500 * random.uniform()};
    const DoubleLanes logs = log1p_nonnegative<false>(w, w).log1p;
    const DoubleLanes exps = expm1_bounded<false>(w).expm1;
    for (std::size_t lane = 0; lane < kLaneCount<double>; ++lane) {
      EXPECT_EQ(logs[lane], log1p_nonnegative<false>(w[lane], w[lane]).log1p);
      EXPECT_EQ(exps[lane], expm1_bounded<false>(w[lane]).expm1);
    }
  }
}

}  // namespace elementary_test
}  // namespace diffeo::kernels::for_tests
