#include "diffeo/torch/share_of_file.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "diffeo/error.hpp"
#include "diffeo/file_error.hpp"
#include "diffeo/series_stream.hpp"
#include "digest.hpp"

namespace diffeo {
namespace {

class Share {
 public:
  Share(const std::filesystem::path& path, const ReadOptions& options, const Group& group) {
    SeriesReader reader(path, options);
    while (const std::optional<Dataset> part = reader.next()) {
      channels_ = part->channels();
      class_names_ = part->class_names();
      for (std::size_t item = 0; item < part->cases(); ++item, ++cases_) {
        digests_.add(cases_, *part, item);
        if (cases_ % group.size() == group.rank()) keep(*part, item);
      }
    }
  }

  [[nodiscard]] std::string digest() const { return digests_.text(); }  // of the whole file
  [[nodiscard]] Dataset set() && {
    Dataset set(channels_, std::move(values_), lengths_);
    if (!labels_.empty()) set.set_labels(std::move(labels_), std::move(class_names_));
    return set;
  }

 private:
  void keep(const Dataset& part, std::size_t item) {
    const auto values = part.series(item).values();
    values_.insert(values_.end(), values.begin(), values.end());
    lengths_.push_back(part.length(item));
    if (part.labeled()) labels_.push_back(part.labels()[item]);
  }

  std::size_t cases_ = 0;
  std::size_t channels_ = 1;
  CaseDigests digests_;
  std::vector<double> values_;
  std::vector<std::size_t> lengths_;
  std::vector<std::size_t> labels_;
  std::vector<std::string> class_names_;
};

}  // namespace

Dataset read_share(const std::filesystem::path& path, const ReadOptions& options, const Group& group) {
  if (group.alone()) return read_dataset(path, options);
  std::optional<Share> share;
  group.together([&] { share.emplace(path, options, group); });
  const std::vector<std::string> digests = group.gathered(share->digest());
  group.together([&] {
    const auto other = std::ranges::find_if(digests, [&](const std::string& each) { return each != digests.front(); });
    if (other == digests.end()) return;
    throw FileError({path.string()}, message("expected the same series in all processes, got those of process 0 and "
                                             "others in process ",
                                             other - digests.begin()));
  });
  return std::move(*share).set();
}

}  // namespace diffeo
