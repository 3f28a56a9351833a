#include "schedule/request_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/random.h"

namespace flyball {
namespace {

// Requests at random: what batches() foretells is what take() gives, each batch of one shape and no
// larger than it may be, and each request comes once, those of a shape in their order.
TEST(RequestQueue, WhatIsForetoldIsWhatIsTaken) {
  for (uint64_t seed = 1; seed <= 200; ++seed) {
    Random random(seed);
    const int64_t most = 1 + static_cast<int64_t>(random.below(12));
    const uint64_t shapes = 1 + random.below(4);
    const int64_t largest_request = 1 + static_cast<int64_t>(random.below(6));
    RequestQueue queue;
    const size_t requests = 1 + random.below(60);
    for (uint64_t id = 0; id < requests; ++id)
      queue.push({.id = id,
                  .deadline_ns = static_cast<int64_t>(id),
                  .samples = 1 + static_cast<int64_t>(
                                     random.below(static_cast<uint64_t>(largest_request))),
                  .shape = random.below(shapes)});
    const std::vector<WaitingBatch> foretold = queue.batches(most);
    std::set<uint64_t> seen;
    std::vector<uint64_t> last_of_shape(shapes);
    for (const WaitingBatch& expected : foretold) {
      ASSERT_FALSE(queue.empty());
      std::vector<Waiting> batch;
      EXPECT_EQ(queue.front().deadline_ns, expected.deadline_ns);
      EXPECT_EQ(queue.take(most, batch), expected.samples);
      ASSERT_FALSE(batch.empty());
      int64_t samples = 0;
      for (const Waiting& request : batch) {
        EXPECT_EQ(request.shape, expected.shape);
        EXPECT_TRUE(seen.insert(request.id).second);
        EXPECT_TRUE(request.id == 0 || last_of_shape[request.shape] <= request.id);
        last_of_shape[request.shape] = request.id;
        samples += request.samples;
      }
      EXPECT_EQ(samples, expected.samples);
      EXPECT_TRUE(samples <= most || batch.size() == 1);
    }
    EXPECT_TRUE(queue.empty());
    EXPECT_EQ(seen.size(), requests);
  }
}

TEST(RequestQueue, OthersShapesKeepTheirPlaces) {
  RequestQueue queue;
  for (uint64_t id = 0; id < 6; ++id) queue.push({.id = id, .shape = id % 2});
  EXPECT_EQ(queue.samples_like_front(), 3);
  EXPECT_FALSE(queue.plain());
  std::vector<Waiting> batch;
  EXPECT_EQ(queue.take(2, batch), 2);
  EXPECT_EQ(batch[1].id, 2u);
  EXPECT_EQ(queue.front().id, 1u);
  EXPECT_EQ(queue.take(8, batch), 3);
  EXPECT_EQ(queue.front().id, 4u);
  EXPECT_TRUE(queue.plain());
}

}  // namespace
}  // namespace flyball
