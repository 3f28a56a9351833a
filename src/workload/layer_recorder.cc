#include "workload/layer_recorder.h"

#include <ATen/SequenceNumber.h>
#include <ATen/Tensor.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <map>
#include <mutex>
#include <set>
#include <span>
#include <utility>

#include "cost/counting.h"

namespace flyball {
namespace {

using Storage = const c10::StorageImpl*;

Storage storage_of(const torch::Tensor& tensor) {
  return tensor.defined() && tensor.has_storage() ? tensor.storage().unsafeGetStorageImpl()
                                                  : nullptr;
}

// Repeats along a dimension lie in memory once.
double memory_of(const torch::Tensor& tensor) {
  auto count = static_cast<double>(tensor.element_size());
  for (int64_t d = 0; d < tensor.dim(); ++d)
    if (tensor.stride(d) != 0 || tensor.size(d) == 0) count *= static_cast<double>(tensor.size(d));
  return count;
}

Operand operand_of(const torch::Tensor& tensor) {
  if (!tensor.defined()) return {.present = false};
  return {tensor.sizes().vec(), memory_of(tensor), true};
}

// Tensors of a value, lists of them one by one; what is left out is an undefined one.
void add_tensors(const c10::IValue& value, std::vector<torch::Tensor>& tensors) {
  if (value.isTensor())
    tensors.push_back(value.toTensor());
  else if (value.isTensorList())
    for (const torch::Tensor& tensor : value.toTensorVector()) tensors.push_back(tensor);
  else if (value.isNone())
    tensors.emplace_back();
  else if (value.isOptionalTensorList())
    for (const c10::optional<torch::Tensor>& tensor : value.toOptionalTensorVector())
      tensors.push_back(tensor.value_or(torch::Tensor()));
}

// Scripts show their whole stack; what belongs to the operator lies on top. `own` is 0 where there
// is no schema that says how many.
template <class Values>
std::span<const c10::IValue> last(const Values& values, size_t own) {
  const std::span<const c10::IValue> all(values.data(), values.size());
  return own == 0 || own >= all.size() ? all : all.last(own);
}

// Numbers of a value; nothing for others.
std::vector<double> numbers_of(const c10::IValue& value) {
  if (value.isBool()) return {value.toBool() ? 1.0 : 0.0};
  if (value.isInt()) return {static_cast<double>(value.toInt())};
  if (value.isDouble()) return {value.toDouble()};
  if (!value.isIntList()) return {};
  const auto list = value.toIntVector();
  return {list.begin(), list.end()};
}

// "aten::add_" → "add"; names that begin so are kept.
std::string plain_name(const std::string& full) {
  const size_t colons = full.rfind("::");
  std::string name = colons == std::string::npos ? full : full.substr(colons + 2);
  if (name.size() > 1 && name.back() == '_' && !name.starts_with("__")) name.pop_back();
  return name;
}

// "layer1.0.conv1.weight" → "layer1.0.conv1"
std::string module_of(const std::string& parameter) {
  const size_t dot = parameter.rfind('.');
  return dot == std::string::npos ? parameter : parameter.substr(0, dot);
}

// "convolution" is called with its dimensions and whether it is transposed as arguments.
void rename_convolution(Operation& operation) {
  if (operation.op != "convolution" && operation.op != "_convolution") return;
  // stride, padding, dilation, transposed
  const bool transposed = operation.numbers.size() > 3 && operation.numbers[3] == std::vector{1.0};
  const size_t rank = operation.inputs.size() > 1 ? operation.inputs[1].sizes.size() : 4;
  operation.op = std::string(transposed ? "conv_transpose" : "conv") +
                 std::to_string(rank > 2 ? rank - 2 : 2) + "d";
}

bool is_product(const std::string& op) {
  return op == "mm" || op == "addmm" || op == "bmm" || op == "baddbmm" || op == "mv";
}

}  // namespace

// What was noted. Guarded, since devices run the backward pass in threads of their own.
class LayerRecorder::Notes {
 public:
  Notes(const std::vector<NamedTensor>& weights, bool training) {
    std::set<const c10::TensorImpl*> seen;  // a script may have one by several names
    for (const auto& [name, tensor] : weights) {
      if (!seen.insert(tensor.unsafeGetTensorImpl()).second) continue;
      const bool counts = !training || tensor.requires_grad();
      weights_[storage_of(tensor)].push_back(
          {module_of(name), counts ? static_cast<double>(tensor.numel()) : 0, false});
    }
  }

  static Notes* current;

  struct Frame final : at::ObserverContext {
    enum class Kind { within, counted, open, node } kind = Kind::within;
    Operation operation;
    size_t first = 0;  ///< operations before it
    uint64_t sequence = 0;
    bool in_place = false;
    std::vector<Storage> taken;
  };

  std::unique_ptr<at::ObserverContext> start(const at::RecordFunction& function) {
    auto frame = std::make_unique<Frame>();
    const std::lock_guard lock(mutex_);
    if (function.scope() == at::RecordScope::BACKWARD_FUNCTION) {
      begin_node(function, *frame);
      return frame;
    }
    if (within_ > 0) {
      ++within_;
      return frame;
    }
    begin_operation(function, *frame);
    return frame;
  }

  void end(const at::RecordFunction& function, at::ObserverContext* context) {
    auto& frame = *static_cast<Frame*>(context);
    const std::lock_guard lock(mutex_);
    std::vector<torch::Tensor> outputs;
    for (const c10::IValue& value : last(function.outputs(), function.num_outputs()))
      add_tensors(value, outputs);
    switch (frame.kind) {
      case Frame::Kind::node:
        if (ours_) --within_;
        ours_ = false;
        in_node_ = false;
        break;
      case Frame::Kind::within:
        if (within_ > 0) --within_;
        keep(outputs, noted_);
        break;
      case Frame::Kind::counted:
        --within_;
        end_counted(frame, outputs);
        break;
      case Frame::Kind::open:
        end_open(frame, outputs);
        break;
    }
  }

  Graph take() {
    const std::lock_guard lock(mutex_);
    return std::move(graph_);
  }

 private:
  struct Weight {
    std::string module;
    double numbers;
    bool counted;
  };
  struct Kept {
    c10::weak_intrusive_ptr<c10::StorageImpl> storage;
    double bytes;
    size_t by;  ///< operation that made it
  };
  static constexpr size_t kNone = SIZE_MAX;

  void begin_node(const at::RecordFunction& function, Frame& frame) {
    frame.kind = Frame::Kind::node;
    end_forward();
    in_node_ = true;
    const auto sequence = static_cast<uint64_t>(function.seqNr());
    forward_of_node_ = kNone;
    for (const auto& [range, index] : ranges_)
      if (range.first <= sequence && sequence < range.second) forward_of_node_ = index;
    // What ours computes backwards is one operator, too, of what went in.
    if (std::string(function.name()).find("CppNode<") == std::string::npos ||
        forward_of_node_ == kNone)
      return;
    ours_ = true;
    ++within_;
    Operation backward = graph_[forward_of_node_];
    backward.op += "_backward";
    backward.parameters = backward.activation_bytes = 0;
    if (backward.op == "max_pool2d_backward")
      std::swap(backward.inputs[0], backward.outputs[0]);
    else if (backward.op == "norm_silu_backward")  // what went in, its gradient, that of the output
      backward.outputs.insert(backward.outputs.begin(), backward.inputs[0]);
    graph_.push_back(std::move(backward));
  }

  void begin_operation(const at::RecordFunction& function, Frame& frame) {
    const std::string full = function.name();
    Operation& operation = frame.operation;
    operation.op = plain_name(full);
    frame.in_place = full.ends_with('_');
    frame.first = graph_.size();
    frame.sequence = at::sequence_number::peek();
    std::vector<torch::Tensor> tensors;
    for (const c10::IValue& value : last(function.inputs(), function.num_inputs())) {
      const size_t before = tensors.size();
      add_tensors(value, tensors);
      if (tensors.size() == before) operation.numbers.push_back(numbers_of(value));
    }
    for (const torch::Tensor& tensor : tensors) {
      operation.inputs.push_back(operand_of(tensor));
      frame.taken.push_back(storage_of(tensor));
    }
    rename_convolution(operation);
    if (operation.op == "made_of") return note_made(frame);
    if (!is_counted(operation.op)) {
      frame.kind = Frame::Kind::open;
      return;
    }
    frame.kind = Frame::Kind::counted;
    ++within_;
    name(operation, frame.taken);
    noted_ = graph_.size();
    graph_.push_back(operation);
  }

  // The first was made of the others: it goes by their names.
  void note_made(Frame& frame) {
    frame.kind = Frame::Kind::open;
    auto& made = weights_[frame.taken.front()];
    made.clear();
    for (size_t i = 1; i < frame.taken.size(); ++i)
      for (Weight& weight : weights_[frame.taken[i]]) made.push_back(weight);
  }

  void name(Operation& operation, const std::vector<Storage>& taken) {
    if (operation.op == "sgd" || operation.op == "adam") return;
    bool named = false;
    for (const Storage storage : taken) {
      const auto found = weights_.find(storage);
      if (found == weights_.end() || found->first == nullptr) continue;
      for (Weight& weight : found->second) {
        if (!named) operation.name = weight.module;
        named = true;
        if (!weight.counted && !in_node_) operation.parameters += weight.numbers;
        weight.counted = true;
      }
    }
    if (backward_) {
      name_backward(operation);
      return;
    }
    if (named && (operation.op == "addmm" || operation.op == "mm")) operation.shown_as = "linear";
    if (named) last_name_ = operation.name;
    operation.name = last_name_;
  }

  void name_backward(Operation& operation) const {
    if (forward_of_node_ == kNone) return;
    const Operation& forward = graph_[forward_of_node_];
    operation.name = forward.name;
    if (is_product(operation.op))
      operation.shown_as = (forward.shown_as.empty() ? forward.op : forward.shown_as) + "_backward";
  }

  void end_counted(Frame& frame, const std::vector<torch::Tensor>& outputs) {
    const size_t index = frame.first;
    Operation& operation = graph_[index];
    for (const torch::Tensor& tensor : outputs) operation.outputs.push_back(operand_of(tensor));
    operation.view = !frame.in_place && is_view(frame, outputs);
    if (!backward_) ranges_.push_back({{frame.sequence, at::sequence_number::peek()}, index});
    keep(outputs, operation.view ? kNone : index);
  }

  // One without a rule: what runs within it counts; where nothing does, it is one of its own.
  void end_open(Frame& frame, const std::vector<torch::Tensor>& outputs) {
    const std::string& op = frame.operation.op;
    if (op == "detector_decode" && !outputs.empty()) return end_whole(frame, outputs);
    if (is_free(op) || graph_.size() > frame.first || outputs.empty()) {
      keep(outputs, kNone);
      return;
    }
    Operation& operation = frame.operation;
    for (const torch::Tensor& tensor : outputs) operation.outputs.push_back(operand_of(tensor));
    operation.view = !frame.in_place && is_view(frame, outputs);
    if (operation.view && !is_worth_noting(frame, outputs)) {
      keep(outputs, kNone);
      return;
    }
    if (!operation.view) name(operation, frame.taken);
    const size_t index = graph_.size();
    if (!backward_) ranges_.push_back({{frame.sequence, at::sequence_number::peek()}, index});
    keep(outputs, operation.view ? kNone : index);
    graph_.push_back(std::move(operation));
  }

  // What ran within it counts; a set of rules may count the whole instead, which follows and says
  // how many they were.
  void end_whole(Frame& frame, const std::vector<torch::Tensor>& outputs) {
    Operation& operation = frame.operation;
    for (const torch::Tensor& tensor : outputs) operation.outputs.push_back(operand_of(tensor));
    operation.view = true;
    operation.numbers = {{static_cast<double>(graph_.size() - frame.first)}};
    operation.name = last_name_;
    graph_.push_back(std::move(operation));
  }

  // Views cost nothing, but a set of rules may see more in those that an exported graph has:
  // flatten, and transpositions of what is computed that leave it in another order.
  bool is_worth_noting(const Frame& frame, const std::vector<torch::Tensor>& outputs) {
    const std::string& op = frame.operation.op;
    if (op == "flatten") return true;
    if (op != "transpose" && op != "permute" && op != "t") return false;
    return !outputs.front().is_contiguous() && !weights_.contains(frame.taken.front());
  }

  static bool is_view(const Frame& frame, const std::vector<torch::Tensor>& outputs) {
    return !outputs.empty() && std::ranges::all_of(outputs, [&frame](const torch::Tensor& tensor) {
      const Storage own = storage_of(tensor);
      return own && std::ranges::find(frame.taken, own) != frame.taken.end();
    });
  }

  void keep(const std::vector<torch::Tensor>& outputs, size_t by) {
    if (backward_) return;
    for (const torch::Tensor& tensor : outputs) {
      const Storage own = storage_of(tensor);
      if (!own || weights_.contains(own)) continue;
      const auto found = kept_.find(own);
      if (found != kept_.end() && found->second.storage.use_count() > 0) {
        if (found->second.by == kNone) found->second.by = by;
        continue;
      }
      kept_.insert_or_assign(
          own,
          Kept{c10::weak_intrusive_ptr<c10::StorageImpl>(tensor.storage().getWeakStorageImpl()),
               static_cast<double>(tensor.storage().nbytes()), by});
    }
  }

  // What still lives when the backward pass begins is what it needs.
  void end_forward() {
    if (backward_) return;
    backward_ = true;
    for (auto& [own, kept] : kept_)
      if (kept.by != kNone && kept.storage.use_count() > 0)
        graph_[kept.by].activation_bytes += kept.bytes;
    kept_.clear();
  }

  std::mutex mutex_;
  Graph graph_;
  std::map<Storage, std::vector<Weight>> weights_;
  std::map<Storage, Kept> kept_;
  /// Numbers that autograd gave to what an operator computes, and the operator.
  std::vector<std::pair<std::pair<uint64_t, uint64_t>, size_t>> ranges_;
  std::string last_name_;
  size_t noted_ = kNone;            ///< the operator that is running
  size_t forward_of_node_ = kNone;  ///< of the backward node that is running
  int within_ = 0;                  ///< how deep in what counts as one
  bool backward_ = false, in_node_ = false, ours_ = false;
};

LayerRecorder::Notes* LayerRecorder::Notes::current = nullptr;

LayerRecorder::LayerRecorder(const std::vector<NamedTensor>& weights, bool training)
    : notes_(std::make_unique<Notes>(weights, training)) {
  Notes::current = notes_.get();
  const auto start = [](const at::RecordFunction& function) {
    return Notes::current->start(function);
  };
  const auto end = [](const at::RecordFunction& function, at::ObserverContext* context) {
    Notes::current->end(function, context);
  };
  handle_ = at::addGlobalCallback(
      at::RecordFunctionCallback(start, end)
          .needsInputs(true)
          .needsOutputs(true)
          .scopes({at::RecordScope::FUNCTION, at::RecordScope::BACKWARD_FUNCTION}));
}

LayerRecorder::~LayerRecorder() {
  at::removeCallback(handle_);
  Notes::current = nullptr;
}

Graph LayerRecorder::take() {
  return notes_->take();
}

}  // namespace flyball
