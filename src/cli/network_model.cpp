// Models with a network, for verbs that take any model.
#include "cli/aligner_model.hpp"
#include "diffeo/torch/temporal_aligner.hpp"

namespace diffeo::cli {

AlignerModel load_network(const std::string&, const std::string& path) {
  auto aligner = std::make_shared<TemporalAligner>(TemporalAligner::load(path));
  return {aligner, static_cast<std::size_t>(aligner->channels()), static_cast<std::size_t>(aligner->length())};
}

}  // namespace diffeo::cli
