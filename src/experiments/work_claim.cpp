#include "diffeo/work_claim.hpp"

#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <mutex>
#include <nlohmann/json.hpp>
#include <stop_token>
#include <thread>
#include <utility>

#include "experiments/shared_files.hpp"

namespace diffeo {
namespace {

constexpr int kRenewalsInALease = 4;

std::int64_t milliseconds_now() {
  return std::chrono::duration_cast<std::chrono::milliseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

std::filesystem::path claim_file(const std::filesystem::path& folder, const std::string& key, int number) {
  return folder / (key + "." + std::to_string(number));
}

/// Where a process number means something: machines that share a folder, and containers on one machine, count for
/// themselves and may all be called by the same host name. Empty where the system does not tell.
std::string process_space() {
  std::array<char, 256> target{};
  const ssize_t size = readlink("/proc/self/ns/pid", target.data(), target.size());
  const std::string boot = shared_content("/proc/sys/kernel/random/boot_id").value_or("");
  if (size <= 0 || boot.empty()) return "";
  return boot.substr(0, boot.find('\n')) + " " + std::string(target.data(), static_cast<std::size_t>(size));
}

std::string host_name() {
  std::array<char, 256> name{};
  return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// What the file says. Always as long, whatever the time: it is renewed in place.
std::string claim_text(const std::string& token, std::int64_t expires) {
  const nlohmann::ordered_json who = {
      {"host", host_name()}, {"process_space", process_space()}, {"pid", getpid()}, {"token", token}};
  std::array<char, 24> until{};
  std::snprintf(until.data(), until.size(), "%20lld", static_cast<long long>(expires));
  std::string text = who.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
  text.pop_back();
  return text.append(",\"expires\":").append(until.data()).append("}\n");
}

bool is_held(const std::string& text) {
  const auto claim = nlohmann::json::parse(text, nullptr, false);
  if (!claim.is_object()) return false;
  try {
    if (claim.at("expires").get<std::int64_t>() <= milliseconds_now()) return false;
    const auto space = claim.at("process_space").get<std::string>();
    const bool is_here = !space.empty() && space == process_space();
    const bool is_gone = is_here && kill(claim.at("pid").get<pid_t>(), 0) != 0 && errno == ESRCH;
    return !is_gone;
  } catch (const nlohmann::json::exception&) {
    return false;
  }
}

}  // namespace

/// Renews the claim from a thread of its own.
class WorkClaim::Held {
 public:
  Held(std::filesystem::path folder, std::string key, int number, std::string token, std::chrono::milliseconds lease)
      : folder_(std::move(folder)),
        key_(std::move(key)),
        number_(number),
        token_(std::move(token)),
        lease_(lease),
        descriptor_(open(claim_file(folder_, key_, number_).c_str(), O_WRONLY | O_CLOEXEC)),
        renewing_([this](const std::stop_token& stop) { renew_until(stop); }) {}

  ~Held() {
    end_renewing();
    if (!is_finished_) write_expiry(0);
  }

  void finish() {
    end_renewing();
    is_finished_ = true;
    for (int number = number_; number > 0; --number) unlink(claim_file(folder_, key_, number).c_str());
  }

 private:
  void end_renewing() {
    renewing_.request_stop();
    if (renewing_.joinable()) renewing_.join();
  }

  void renew_until(const std::stop_token& stop) {
    std::mutex mutex;
    std::condition_variable_any wake;
    std::unique_lock lock(mutex);
    while (!wake.wait_for(lock, stop, lease_ / kRenewalsInALease, [&] { return stop.stop_requested(); })) {
      const bool is_taken_over = access(claim_file(folder_, key_, number_ + 1).c_str(), F_OK) == 0;
      if (is_taken_over) return;
      write_expiry(milliseconds_now() + lease_.count());
    }
  }

  /// Into our own file, under whatever name: it cannot harm a claim of somebody else. Nobody can be told of a failure,
  /// and nobody needs to be: the claim expires.
  void write_expiry(std::int64_t expires) const noexcept {
    const std::string text = claim_text(token_, expires);
    if (pwrite(descriptor_.number(), text.data(), text.size(), 0) == static_cast<ssize_t>(text.size())) {
      fsync(descriptor_.number());
    }
  }

  std::filesystem::path folder_;
  std::string key_;
  int number_;
  std::string token_;
  std::chrono::milliseconds lease_;
  Descriptor descriptor_;
  bool is_finished_ = false;
  std::jthread renewing_;  // the last member: it uses the others
};

WorkClaim::WorkClaim(std::unique_ptr<Held> held) : held_(std::move(held)) {}
WorkClaim::WorkClaim(WorkClaim&&) noexcept = default;
WorkClaim& WorkClaim::operator=(WorkClaim&&) noexcept = default;
WorkClaim::~WorkClaim() = default;

void WorkClaim::finish() { held_->finish(); }

std::optional<WorkClaim> WorkClaim::take(const std::filesystem::path& folder, const std::string& key,
                                         std::chrono::milliseconds lease) {
  int number = 1;
  while (const std::optional<std::string> text = shared_content(claim_file(folder, key, number))) {
    if (is_held(*text)) return std::nullopt;
    ++number;
  }
  const std::string token = random_token();
  const std::string text = claim_text(token, milliseconds_now() + lease.count());
  const bool is_ours = create_whole(claim_file(folder, key, number), text, Durability::while_the_machine_runs);
  if (!is_ours) return std::nullopt;
  return WorkClaim(std::make_unique<Held>(folder, key, number, token, lease));
}

}  // namespace diffeo
