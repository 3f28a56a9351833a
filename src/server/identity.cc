#include "server/identity.h"

namespace flyball {
namespace {

ServiceInfo identity_info() {
  const TensorSpec vector{.name = "input", .dtype = DType::float32, .shape = {-1}};
  TensorSpec same = vector;
  same.name = "output";
  return {identity_name, {vector}, {same}, 1024, 1};
}

// What came in, under the output's name.
StoredTensor output_of(StoredTensor input) {
  input.name = "output";
  return input;
}

class IdentityRunner final : public InferenceRunner {
 public:
  const ServiceInfo& info() const override { return info_; }
  Result<std::vector<std::vector<StoredTensor>>> run(
      std::span<const InferRequest> requests) override {
    std::vector<std::vector<StoredTensor>> answers;
    for (const InferRequest& request : requests)
      answers.push_back({output_of(request.inputs.front())});
    return answers;
  }
  InferRequest example(int64_t samples) const override {
    const std::string zeros(static_cast<size_t>(samples) * sizeof(float), 0);
    return {{{"input", DType::float32, {samples, 1}, zeros}}, samples, [](const InferAnswer&) {}};
  }

 private:
  ServiceInfo info_ = identity_info();
};

}  // namespace

std::unique_ptr<InferenceRunner> make_identity_runner() {
  return std::make_unique<IdentityRunner>();
}

IdentityServing::IdentityServing() : services_({identity_info()}) {}

void IdentityServing::submit(size_t, InferRequest request) {
  InferAnswer answer{std::vector<StoredTensor>{output_of(std::move(request.inputs.front()))}};
  answer.batch = request.samples;
  request.done(std::move(answer));
}

}  // namespace flyball
