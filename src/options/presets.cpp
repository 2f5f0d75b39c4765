// Settings with names.
#include <array>

#include "diffeo/error.hpp"
#include "diffeo/training_options.hpp"

namespace diffeo {
namespace {

/// The paper's optimiser, network and loss (its appendix on the UCR experiments).
TrainingOptions paper() {
  TrainingOptions options;
  options.initialization = "xavier-normal";
  options.dropout = 0.0;
  options.loss = "variance";
  options.epochs = 500;
  options.least_steps = 0;
  options.batch_size = 32;
  options.balanced = false;
  options.learning_rate = 1e-5;
  options.schedule = "constant";
  options.weight_decay = 0.0;
  options.beta1 = 0.9;
  options.beta2 = 0.98;
  options.epsilon = 1e-8;
  options.members = 1;
  options.shrinkage = "1";
  return options;
}

}  // namespace

std::vector<std::string_view> preset_names() { return {"default", "paper", "dtan", "resnet-tw"}; }

TrainingOptions preset(std::string_view name) {
  if (name == "default") return {};
  if (name == "paper") return paper();
  throw std::invalid_argument(message("preset: expected default, paper, dtan or resnet-tw, got ", name));
}

}  // namespace diffeo
