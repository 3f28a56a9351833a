#include "workload/checkpoint.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/os/temp_folder.h"

namespace flyball {
namespace {

using testing::HasSubstr;

Checkpoint small() {
  return {{{"workload", "lenet5"}, {"epoch", "3"}},
          {{"a", DType::float32, {2, 1}, "12345678"},
           {"empty", DType::int64, {0, 4}, ""},
           {"scalar", DType::uint8, {}, "x"}}};
}

TEST(Checkpoint, IsReadAsItWasWritten) {
  const TempFolder folder;
  const auto file = folder / "deep/one.ckpt";
  ASSERT_TRUE(write_checkpoint(file, small()).ok());
  EXPECT_EQ(*read_file(file), encode_checkpoint(small()));
  const auto read = read_checkpoint(file);
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(read->facts, small().facts);
  ASSERT_EQ(read->tensors.size(), 3u);
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(read->tensors[i].name, small().tensors[i].name);
    EXPECT_EQ(read->tensors[i].dtype, small().tensors[i].dtype);
    EXPECT_EQ(read->tensors[i].shape, small().tensors[i].shape);
    EXPECT_EQ(read->tensors[i].bytes, small().tensors[i].bytes);
  }
  EXPECT_EQ(*read->number("epoch"), 3);
  EXPECT_FALSE(read->number("workload").ok());
  EXPECT_FALSE(read->number("minibatches").ok());
}

TEST(Checkpoint, BadFilesAreNamedInALine) {
  const TempFolder folder;
  const auto complaint = [&](const std::string& content) {
    const auto read = decode_checkpoint(content);
    if (read.ok()) return std::string("accepted");
    EXPECT_FALSE(read.error().hint.empty());
    return read.error().message;
  };
  const std::string good = encode_checkpoint(small());
  EXPECT_EQ(complaint(good), "accepted");
  EXPECT_EQ(complaint(""), "it is no checkpoint");
  EXPECT_EQ(complaint("PK\3\4"), "it is no checkpoint");
  std::string later = good;
  later[19] = '2';
  EXPECT_EQ(complaint(later), "it is a checkpoint of another version");
  EXPECT_EQ(complaint(good.substr(0, 25)), "it was cut off");
  for (size_t bytes = 40; bytes < good.size(); ++bytes)
    EXPECT_THAT(complaint(good.substr(0, bytes)), HasSubstr("it was cut off"));
  for (size_t at = 21; at < good.size(); ++at) {
    std::string changed = good;
    changed[at] = static_cast<char>(changed[at] ^ 0x40);
    EXPECT_THAT(complaint(changed), HasSubstr("it was cut off")) << at;
  }
  EXPECT_FALSE(read_checkpoint(folder / "none.ckpt").ok());
  ASSERT_TRUE(write_file(folder / "bad.ckpt", good.substr(0, 60)).ok());
  EXPECT_THAT(read_checkpoint(folder / "bad.ckpt").error().message,
              HasSubstr("bad.ckpt: it was cut off"));
}

TEST(Checkpoint, DisagreementIsNamed) {
  EXPECT_TRUE(small().agrees({{"workload", "lenet5"}}).ok());
  EXPECT_EQ(small().agrees({{"workload", "resnet18"}}).error().message,
            "the checkpoint has workload 'lenet5' and this training 'resnet18'");
  EXPECT_EQ(small().agrees({{"seed", "1"}}).error().message,
            "the checkpoint has no seed and this training '1'");
}

}  // namespace
}  // namespace flyball
