// Groups that torch.distributed has formed in Python, found by their names.
#include <exception>
#include <string>
#include <torch/csrc/distributed/c10d/GroupRegistry.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroup.hpp>

#include "diffeo/error.hpp"
#include "diffeo/torch/group.hpp"

namespace diffeo {
namespace {

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

class ProcessGroup final : public Collective {
 public:
  explicit ProcessGroup(c10::intrusive_ptr<c10d::ProcessGroup> group) : group_(std::move(group)) {}

  [[nodiscard]] std::size_t rank() const noexcept override { return static_cast<std::size_t>(group_->getRank()); }
  [[nodiscard]] std::size_t size() const noexcept override { return static_cast<std::size_t>(group_->getSize()); }

  void sum(const std::vector<at::Tensor>& tensors) const override {
    try {
      std::vector<c10::intrusive_ptr<c10d::Work>> under_way;
      for (const at::Tensor& tensor : tensors) {
        std::vector<at::Tensor> one = {tensor};
        under_way.push_back(group_->allreduce(one));
      }
      for (const auto& work : under_way) work->wait();
    } catch (const std::exception& problem) {
      throw std::runtime_error(
          message("process ", rank(), " of ", size(),
                  ": another process of the group is gone, or cannot be reached: ", first_line(problem.what())));
    }
  }

 private:
  c10::intrusive_ptr<c10d::ProcessGroup> group_;
};

}  // namespace

Group Group::named(const std::string& name) {
  try {
    return Group(std::make_shared<ProcessGroup>(c10d::resolve_process_group(name)));
  } catch (const c10::Error&) {
    throw std::invalid_argument(
        message("process group: expected one that torch.distributed has formed in this process, got \"", name, "\""));
  }
}

}  // namespace diffeo
