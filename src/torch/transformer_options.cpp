#include "transformer_options.hpp"

#include "untouched_generator.hpp"

namespace diffeo {

TransformerOptions transformer_options(const TrainingOptions& options) {
  TransformerOptions result;
  result.localization = {.kind = localization_from_name(options.network),
                         .widths = options.widths,
                         .kernels = options.kernels,
                         .hidden = options.hidden,
                         .positions = options.positions,
                         .dropout = options.dropout};
  result.cells = options.cells;
  result.zero_boundary = options.zero_boundary;
  result.basis = basis_from_name(options.basis);
  result.layers = options.layers;
  result.shared_layers = options.shared_layers;
  result.composition = options.composition == "resample" ? Composition::resample : Composition::compose;
  result.velocity_scale = options.velocity_scale;
  result.horizon = options.horizon;
  result.method = flow_method_from_name(options.method);
  result.method_steps = options.method_steps;
  return result;
}

std::shared_ptr<TemporalTransformer> make_transformer(std::int64_t channels, std::int64_t length,
                                                      const TrainingOptions& options) {
  const UntouchedGenerator guard;
  return std::make_shared<TemporalTransformer>(channels, length, transformer_options(options));
}

}  // namespace diffeo
