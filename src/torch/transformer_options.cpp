#include "transformer_options.hpp"

#include "feature_set.hpp"
#include "untouched_generator.hpp"

namespace diffeo {

MemberLoss network_loss(const TrainingOptions& options, std::int64_t member) {
  return member_loss(options, member < member_count(options) ? member : aligning_member(options));
}

TransformerOptions transformer_options(const TrainingOptions& options, std::int64_t member, std::int64_t classes) {
  const bool recognizes = weight_of(network_loss(options, member), "recognition") > 0.0;
  TransformerOptions result;
  result.localization = {.kind = localization_from_name(options.network),
                         .widths = options.widths,
                         .kernels = options.kernels,
                         .hidden = options.hidden,
                         .positions = options.positions,
                         .dropout = options.dropout,
                         .classes = recognizes ? classes : 1};
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

std::shared_ptr<TemporalTransformer> make_transformer(const SeriesShape& shape, const TrainingOptions& options,
                                                      std::int64_t member) {
  const UntouchedGenerator guard;
  const std::size_t channels =
      feature_channels(network_loss(options, member).features, static_cast<std::size_t>(shape.channels));
  return std::make_shared<TemporalTransformer>(static_cast<std::int64_t>(channels), shape.length,
                                               transformer_options(options, member, shape.classes));
}

}  // namespace diffeo
