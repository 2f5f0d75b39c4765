#include "diffeo/torch/group.hpp"

#include <torch/torch.h>

#include <algorithm>
#include <cstring>
#include <exception>
#include <numeric>

#include "group_value.hpp"

namespace diffeo {
namespace {

/// Of a bucket of gradients: large enough that its bytes count and not its start, small enough that a large network has
/// several. They are under way at once, so that one is added up while another is sent.
constexpr std::int64_t kBucketBytes = std::int64_t{1} << 20;

class SumOverProcesses : public torch::autograd::Function<SumOverProcesses> {
 public:
  static at::Tensor forward(torch::autograd::AutogradContext* context, const at::Tensor& share, const Group& group) {
    context->saved_data["group"] = value_of(group);
    return summed(share, group);
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 const torch::autograd::variable_list& gradients) {
    TORCH_CHECK(!at::GradMode::is_enabled(), "sums over processes have no second derivatives (create_graph)");
    return {summed(gradients[0], group_of(context->saved_data["group"])), {}};
  }

 private:
  static at::Tensor summed(const at::Tensor& share, const Group& group) {
    const at::Tensor total = share.clone(at::MemoryFormat::Contiguous);
    group.sum_in_place(total);
    return total;
  }
};

/// The numbers themselves, not copies.
at::Tensor row_of(std::vector<double>& numbers) {
  return at::from_blob(numbers.data(), {static_cast<std::int64_t>(numbers.size())}, at::kDouble);
}

/// Parameters whose gradients are summed as one row of numbers.
std::vector<std::vector<at::Tensor>> buckets_of(const std::vector<at::Tensor>& parameters) {
  std::vector<std::vector<at::Tensor>> buckets;
  std::int64_t room = 0;
  for (const at::Tensor& parameter : parameters) {
    const auto bytes = static_cast<std::int64_t>(parameter.nbytes());
    if (buckets.empty() || bytes > room) {
      buckets.emplace_back();
      room = kBucketBytes;
    }
    buckets.back().push_back(parameter);
    room -= bytes;
  }
  return buckets;
}

at::Tensor flattened_gradients(const std::vector<at::Tensor>& parameters) {
  std::vector<at::Tensor> parts;
  for (const at::Tensor& parameter : parameters) {
    const at::Tensor& gradient = parameter.grad();
    parts.push_back(gradient.defined() ? gradient.flatten() : at::zeros({parameter.numel()}, parameter.options()));
  }
  return at::cat(parts);
}

void take_gradients(const std::vector<at::Tensor>& parameters, const at::Tensor& sums) {
  std::int64_t first = 0;
  for (const at::Tensor& parameter : parameters) {
    const at::Tensor gradient = sums.narrow(0, first, parameter.numel()).view(parameter.sizes());
    at::Tensor& own = const_cast<at::Tensor&>(parameter).mutable_grad();
    own.defined() ? (void)own.copy_(gradient) : (void)(own = gradient.clone());
    first += parameter.numel();
  }
}

}  // namespace

Group::Group(std::shared_ptr<const Collective> collective) : collective_(std::move(collective)) {
  if (collective_ && collective_->size() == 1) collective_ = nullptr;
}

at::Tensor Group::sum(const at::Tensor& share) const { return alone() ? share : SumOverProcesses::apply(share, *this); }

void Group::sum_in_place(const at::Tensor& share) const {
  if (alone()) return;
  const at::NoGradGuard no_gradients;
  collective_->sum({share});
}

void Group::sum(std::vector<double>& shares) const {
  if (!shares.empty()) sum_in_place(row_of(shares));
}

double Group::sum(double share) const {
  std::vector<double> shares = {share};
  sum(shares);
  return shares.front();
}

void Group::sum_gradients(const std::vector<at::Tensor>& parameters, std::vector<double>& numbers) const {
  if (alone()) return;
  const at::NoGradGuard no_gradients;
  const auto buckets = buckets_of(parameters);
  std::vector<at::Tensor> sums;
  for (const auto& bucket : buckets) sums.push_back(flattened_gradients(bucket));
  if (!numbers.empty()) sums.push_back(row_of(numbers));
  collective_->sum(sums);
  for (std::size_t i = 0; i < buckets.size(); ++i) take_gradients(buckets[i], sums[i]);
}

std::vector<std::string> Group::gathered(const std::string& own) const {
  if (alone()) return {own};
  const at::Tensor sizes = at::zeros({static_cast<std::int64_t>(size())}, at::kLong);
  auto* const counts = sizes.mutable_data_ptr<std::int64_t>();
  counts[rank()] = static_cast<std::int64_t>(own.size());
  sum_in_place(sizes);
  // A sum in which all but one are zero is that one.
  const std::int64_t total = std::accumulate(counts, counts + size(), std::int64_t{0});
  if (total == 0) return std::vector<std::string>(size());
  const at::Tensor bytes = at::zeros({total}, at::kByte);
  auto* const text = reinterpret_cast<char*>(bytes.mutable_data_ptr<std::uint8_t>());
  std::ranges::copy(own, text + std::accumulate(counts, counts + rank(), std::int64_t{0}));
  sum_in_place(bytes);
  std::vector<std::string> texts;
  const char* first = text;
  for (std::size_t each = 0; each < size(); first += counts[each++]) texts.emplace_back(first, counts[each]);
  return texts;
}

std::string Group::of_first(const std::string& own) const { return gathered(is_first() ? own : std::string()).front(); }

void Group::together(const std::function<void()>& work) const {
  if (alone()) return work();
  std::exception_ptr failure;
  std::string problem;  // with a letter before it, because a message may be empty
  try {
    work();
  } catch (const std::exception& caught) {
    failure = std::current_exception();
    problem = std::string("!") + caught.what();
  }
  const std::vector<std::string> problems = gathered(problem);
  const auto first = std::ranges::find_if(problems, [](const std::string& each) { return !each.empty(); });
  if (first == problems.end()) return;
  const auto where = static_cast<std::size_t>(first - problems.begin());
  if (where == rank()) std::rethrow_exception(failure);
  throw FailedElsewhere("process " + std::to_string(where) + ": " + first->substr(1));
}

}  // namespace diffeo
