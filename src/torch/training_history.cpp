#include "training_history.hpp"

#include "diffeo/error.hpp"

namespace diffeo {
namespace {

using Row = std::array<double, kHistoryColumns>;

Row row_of(const EpochRecord& record) {
  return {static_cast<double>(record.member),
          static_cast<double>(record.epoch),
          record.loss,
          record.warps,
          record.variance,
          record.slopes,
          record.inverse_consistency,
          record.cross_entropy,
          record.recognition,
          record.prior,
          record.accuracy,
          record.validation_loss,
          record.learning_rate};
}

EpochRecord record_of(const double* row) {
  return {static_cast<std::int64_t>(row[0]),
          static_cast<std::int64_t>(row[1]),
          row[2],
          row[3],
          row[4],
          row[5],
          row[6],
          row[7],
          row[8],
          row[9],
          row[10],
          row[11],
          row[12]};
}

}  // namespace

const std::array<std::string_view, kHistoryColumns>& history_columns() {
  static constexpr std::array<std::string_view, kHistoryColumns> names = {
      "member",        "epoch",       "loss",  "warps",    "variance",        "slopes",       "inverse_consistency",
      "cross_entropy", "recognition", "prior", "accuracy", "validation_loss", "learning_rate"};
  return names;
}

NamedTensor history_tensor(const std::vector<EpochRecord>& history) {
  std::vector<double> values;
  for (const EpochRecord& record : history) {
    const Row row = row_of(record);
    values.insert(values.end(), row.begin(), row.end());
  }
  return make_tensor("history", {static_cast<std::int64_t>(history.size()), kHistoryColumns}, values);
}

std::vector<EpochRecord> history_of(const NamedTensor& tensor) {
  require(tensor.shape.size() == 2 && tensor.shape[1] == kHistoryColumns, "history: expected ", kHistoryColumns,
          " columns, got another shape");
  const std::vector<double> values = tensor.values<double>();
  std::vector<EpochRecord> history;
  for (std::size_t first = 0; first < values.size(); first += kHistoryColumns) {
    history.push_back(record_of(values.data() + first));
  }
  return history;
}

}  // namespace diffeo
