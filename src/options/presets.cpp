// Settings with names. docs/guide/variants.md says where those of published methods come from, and what differs.
#include "diffeo/error.hpp"
#include "diffeo/training_options.hpp"

namespace diffeo {
namespace {

/// What published methods have in common: one network, which sees the series and makes the variance of classes small.
TrainingOptions published() {
  TrainingOptions options;
  options.centered = false;
  options.dropout = 0.0;
  options.augmentation = 0.0;
  options.loss = "variance";
  options.least_steps = 0;
  options.balanced = false;
  options.schedule = "constant";
  options.weight_decay = 0.0;
  return options;
}

/// The paper's optimizer, network and loss (its appendix on the UCR experiments).
TrainingOptions paper() {
  TrainingOptions options = published();
  options.widths = {64, 64, 64};
  options.kernels = {7, 5, 3};
  options.initialization = "xavier-normal";
  options.prior_weight = 1e-3;
  options.epochs = 500;
  options.batch_size = 32;
  options.learning_rate = 1e-5;
  options.beta1 = 0.9;
  options.beta2 = 0.98;
  options.epsilon = 1e-8;
  options.shrinkage = std::string("1");  // GCC 12 warns without reason where the literal is assigned
  return options;
}

/// The networks of the default, and those that tell classes apart once more.
TrainingOptions ensemble() {
  TrainingOptions options;
  options.loss += options.loss.substr(options.loss.find(" |"));
  options.epochs = 200;
  options.least_steps = 1000;
  return options;
}

/// Diffeomorphic temporal alignment nets (Weber et al. 2019), recurrent: one network, applied again to what it warped.
TrainingOptions dtan() {
  TrainingOptions options = published();
  options.layers = 2;
  options.shared_layers = true;
  options.composition = "resample";
  options.velocity_scale = 1.0;  // the last layer's tanh is theta itself, in an orthonormal basis as libcpab's
  options.widths = {128, 64, 64};
  options.kernels = {7, 5, 3};
  options.hidden = 64;
  options.positions = 1'000'000;  // every step reaches the head
  options.prior_weight = 1e-5;
  options.length_scale = 0.1;
  options.epochs = 2000;
  options.batch_size = 64;
  options.learning_rate = 1e-4;
  options.epsilon = 1e-7;
  return options;
}

/// Residual networks for time warping (Huang et al. 2021): many small steps of a flow whose velocities change from step
/// to step, each step with a network of its own. Trained as dtan is.
TrainingOptions resnet_tw() {
  TrainingOptions options = dtan();
  options.layers = 8;
  options.shared_layers = false;
  options.composition = "compose";
  options.velocity_scale = 3.0;
  options.prior_weight = 1e-4;  // of every step
  options.horizon = 1.0 / 8.0;  // of one step: all layers together flow for time 1
  options.network = "residual";
  options.widths = {16, 32};
  options.kernels = {7, 5};
  options.hidden = 32;
  options.positions = 64;
  return options;
}

}  // namespace

std::vector<std::string_view> preset_names() { return {"default", "ensemble", "paper", "dtan", "resnet-tw"}; }

TrainingOptions preset(std::string_view name) {
  if (name == "default") return {};
  if (name == "ensemble") return ensemble();
  if (name == "paper") return paper();
  if (name == "dtan") return dtan();
  if (name == "resnet-tw") return resnet_tw();
  throw std::invalid_argument(message("preset: expected default, ensemble, paper, dtan or resnet-tw, got ", name));
}

}  // namespace diffeo
