#include "profile/trials/minibatch_run.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

#include "base/random.h"
#include "data/pictures/picture_collate.h"

namespace flyball {
namespace {

using Picture = std::vector<float>;
const TensorShape kShape{1, 28, 28};

// Requests as they come: each minibatch is what waits, at most `most` of them.
class Queue final : public BatchSource {
 public:
  Queue(const std::vector<TensorSpec>& inputs, int64_t most)
      : buffer_(*BatchBuffer::create(inputs, most)) {}

  void push(const Picture& picture) {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(picture);
    changed_.notify_one();
  }
  void close() {
    const std::lock_guard lock(mutex_);
    closed_ = true;
    changed_.notify_one();
  }
  Result<std::optional<LoadedBatch>> next() override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return closed_ || !waiting_.empty(); });
    if (waiting_.empty()) return std::optional<LoadedBatch>();
    buffer_.clear();
    for (; !waiting_.empty() && buffer_.count() < buffer_.capacity(); waiting_.pop_front()) {
      std::ranges::copy(waiting_.front(), buffer_.row<float>(0).begin());
      buffer_.commit();
    }
    LoadedBatch batch;
    batch.view = buffer_.view();
    return std::optional(batch);
  }

 private:
  BatchBuffer buffer_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<Picture> waiting_;
  bool closed_ = false;
};

std::unique_ptr<Stepper> lenet5() {
  StepOptions options;
  options.phase = Phase::infer;
  options.threads = 1;
  return *make_stepper("lenet5", options);
}

TEST(MinibatchRun, AQueueOfRequestsDrivesInference) {
  std::vector<Picture> pictures(23, Picture(28 * 28));
  Random random(5);
  for (Picture& picture : pictures)
    for (float& pixel : picture) pixel = static_cast<float>(random.normal());
  const auto direct = lenet5();
  ASSERT_EQ(direct->inputs().size(), 1u);
  EXPECT_EQ(direct->inputs()[0].shape, kShape);
  EXPECT_EQ(direct->targets().at(0).name, "label");  // which no request brings
  auto source = std::make_unique<Queue>(direct->inputs(), 4);
  Queue& queue = *source;
  std::thread client([&] {
    for (const Picture& picture : pictures) {
      queue.push(picture);
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    queue.close();
  });
  MinibatchRun run(std::move(source), lenet5());
  run.begin_epoch(0);
  size_t answered = 0;
  while (true) {
    const auto times = run.next_of_epoch();
    ASSERT_TRUE(times.ok()) << times.error().message;
    if (!times->has_value()) break;
    const auto count = static_cast<size_t>(run.batch().view.count());
    ASSERT_LE(answered + count, pictures.size());
    Picture together;
    for (size_t i = answered; i < answered + count; ++i)
      together.insert(together.end(), pictures[i].begin(), pictures[i].end());
    const auto expected = direct->infer(PictureBatch(together, {}, kShape).view());
    ASSERT_TRUE(expected.ok());
    EXPECT_TRUE(std::ranges::equal(run.outputs().values<float>("logits"),
                                   expected->outputs.values<float>("logits")));
    EXPECT_EQ(run.outputs().find("logits")->shape, (TensorShape{static_cast<int64_t>(count), 10}));
    EXPECT_EQ(run.loss(), 0);
    answered += count;
  }
  client.join();
  EXPECT_EQ(answered, pictures.size());
}

}  // namespace
}  // namespace flyball
