#include "server/identity.h"

namespace flyball {

IdentityServing::IdentityServing() {
  const TensorSpec vector{.name = "input", .dtype = DType::float32, .shape = {-1}};
  TensorSpec same = vector;
  same.name = "output";
  services_ = {{identity_name, {vector}, {same}, 1024, 1}};
}

void IdentityServing::submit(size_t, InferRequest request) {
  StoredTensor output = std::move(request.inputs.front());
  output.name = services_.front().outputs.front().name;
  InferAnswer answer{std::vector<StoredTensor>{std::move(output)}};
  answer.batch = request.samples;
  request.done(std::move(answer));
}

}  // namespace flyball
