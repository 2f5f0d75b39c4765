#include "cli/aligner_model.hpp"

#include <map>

#include "diffeo/joint_aligner.hpp"
#include "diffeo/tensor_file.hpp"

namespace diffeo::cli {

AlignerModel load_aligner(const std::string& verb, const std::string& path) {
  const std::map<std::string, std::string> metadata = read_tensor_file(path).metadata;
  const auto format = metadata.find("format");
  if (format == metadata.end() || format->second != kJointAlignerFormat) return load_network(verb, path);
  auto aligner = std::make_shared<JointAligner>(JointAligner::load(path, 1));
  const Dataset& means = aligner->alignment().mean;
  return {aligner, means.channels(), means.longest()};
}

}  // namespace diffeo::cli
