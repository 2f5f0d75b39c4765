// Aligns the series of two classes, and new series to what was learned: the twin of align_series.py.
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <numeric>
#include <vector>

#include "diffeo/align.hpp"
#include "diffeo/alignment_quality.hpp"
#include "diffeo/generate.hpp"
#include "diffeo/joint_aligner.hpp"

namespace {

constexpr std::size_t kTraining = 20;
constexpr std::size_t kAll = 40;

diffeo::Dataset part(const diffeo::Dataset& set, std::size_t first, std::size_t last) {
  std::vector<std::size_t> items(last - first);
  std::iota(items.begin(), items.end(), first);
  return set.subset(items);
}

}  // namespace

int main() {
  diffeo::BumpsOptions options;
  options.classes = 2;
  const diffeo::Bumps bumps = diffeo::generate_bumps(kAll, 4, options);
  const diffeo::Dataset training = part(bumps.dataset, 0, kTraining);

  const diffeo::Alignment result = diffeo::align(training);
  double before = 0.0;
  double after = 0.0;
  bool converged = true;
  for (const diffeo::ClassAlignment& one : result.classes) {
    before += one.variance_before;
    after += one.variance;
    converged = converged && one.converged;
  }
  std::printf("variance within the classes: %.1f before, %.2f after\n", before, after);

  diffeo::JointAligner aligner;
  aligner.fit(training);
  const diffeo::Dataset aligned = aligner.transform(part(bumps.dataset, kTraining, kAll));
  double fresh = 0.0;
  for (const auto& items : aligned.cases_by_class()) fresh += diffeo::within_variance(aligned.subset(items));
  std::printf("that of %zu new series, aligned to the means: %.2f\n", kAll - kTraining, fresh);
  return converged && std::max(after, fresh) < 0.2 * before ? 0 : 1;
}
