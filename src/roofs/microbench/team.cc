#include "roofs/microbench/team.h"

namespace flyball {

Team::Team(int size) {
  for (int i = 1; i < size; ++i) members_.emplace_back([this, i] { serve(i); });
}

Team::~Team() {
  ending_ = true;
  ++turn_;
  turn_.notify_all();
  for (std::thread& member : members_) member.join();
}

void Team::run(const std::function<void(int)>& part) {
  part_ = &part;
  busy_ = static_cast<int>(members_.size());
  ++turn_;
  turn_.notify_all();
  part(0);
  for (int left = busy_; left > 0; left = busy_) busy_.wait(left);
}

void Team::serve(int index) {
  for (unsigned seen = 0;;) {
    turn_.wait(seen);
    if (ending_) return;
    seen = turn_;
    (*part_)(index);
    if (--busy_ == 0) busy_.notify_one();
  }
}

}  // namespace flyball
