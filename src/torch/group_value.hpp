// A group as torch's autograd keeps it between the way there and the way back.
#pragma once

#include <ATen/core/ivalue.h>
#include <torch/custom_class.h>

#include <memory>
#include <utility>

#include "diffeo/torch/group.hpp"

namespace diffeo {

struct HeldCollective : torch::CustomClassHolder {
  explicit HeldCollective(std::shared_ptr<const Collective> held) : collective(std::move(held)) {}
  std::shared_ptr<const Collective> collective;
};

[[nodiscard]] inline c10::IValue value_of(const Group& group) {
  if (group.alone()) return {};
  return c10::IValue::make_capsule(c10::make_intrusive<HeldCollective>(group.collective()));
}

[[nodiscard]] inline Group group_of(const c10::IValue& value) {
  if (value.isNone()) return {};
  return Group(c10::static_intrusive_pointer_cast<HeldCollective>(value.toCapsule())->collective);
}

}  // namespace diffeo
