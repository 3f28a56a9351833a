#include "data/text/text_dataset.h"

#include <fmt/format.h>

#include <algorithm>

namespace flyball {
namespace {

// The words of a sample, and the one behind them.
Status number_sample(const Words& words, const RawSample& sample, std::span<int64_t> out) {
  const auto place = sample.parts.get<int64_t>(0);
  return number_tokens(words,
                       {reinterpret_cast<const char*>(sample.bytes.data()), sample.bytes.size()},
                       {place[1], static_cast<uint64_t>(place[2])}, out);
}

struct TextScratch final : CollateScratch {
  std::vector<int64_t> numbers;
};

class TextCollate final : public Collate {
 public:
  TextCollate(std::shared_ptr<const Words> words, int64_t window)
      : words_(std::move(words)), window_(window) {}

  std::vector<TensorSpec> layout() const override {
    return {{ids_tensor, DType::int64, {window_}},
            {next_tensor, DType::int64, {window_}},
            {window_tensor, DType::int64, {}}};
  }
  std::unique_ptr<CollateScratch> scratch() const override {
    return std::make_unique<TextScratch>();
  }
  Status add(const RawSample& sample, uint64_t, CollateScratch* scratch,
             BatchBuffer& batch) const override {
    std::vector<int64_t>& numbers = static_cast<TextScratch*>(scratch)->numbers;
    numbers.resize(static_cast<size_t>(window_) + 1);
    FLYBALL_CHECK(number_sample(*words_, sample, numbers));
    std::copy(numbers.begin(), numbers.end() - 1, batch.row<int64_t>(0).begin());
    std::copy(numbers.begin() + 1, numbers.end(), batch.row<int64_t>(1).begin());
    batch.row<int64_t>(2)[0] = sample.parts.get<int64_t>(0)[0];
    return {};
  }

 private:
  std::shared_ptr<const Words> words_;
  int64_t window_;
};

}  // namespace

Status TextDataset::check(const RawSample& sample, std::vector<int64_t>& classes) const {
  classes.resize(static_cast<size_t>(window()) + 1);
  FLYBALL_CHECK(number_sample(*words(), sample, classes));
  classes.pop_back();  // it is counted with the next sample
  return {};
}

std::vector<int64_t> TextDataset::strands(int64_t batch_size) const {
  const int64_t length = size() / batch_size;
  std::vector<int64_t> order;
  order.reserve(static_cast<size_t>(size()));
  for (int64_t step = 0; step < length; ++step)
    for (int64_t row = 0; row < batch_size; ++row) order.push_back(row * length + step);
  for (int64_t rest = length * batch_size; rest < size(); ++rest) order.push_back(rest);
  return order;
}

Result<CollatePtr> open_text_collate(const Dataset& dataset, const CollateOptions&) {
  const auto* const text = dynamic_cast<const TextDataset*>(&dataset);
  if (!text)
    return Error{
        Code::invalid_argument,
        fmt::format("a network of words cannot read a data set of kind '{}'", dataset.kind()),
        "give it text, such as WikiText (docs/data.md)"};
  return CollatePtr(std::make_shared<TextCollate>(text->words(), text->window()));
}

}  // namespace flyball
