#include "graph/onnx_values.h"

#include <gtest/gtest.h>

#include "cost/counting.h"
#include "graph/onnx_network.h"
#include "graph/onnx_testing.h"

namespace flyball {
namespace {

using T = onnx::TensorProto;
using Sizes = std::vector<int64_t>;

void add_integer(onnx::NodeProto& node, const std::string& name, int64_t value) {
  auto& attribute = *node.add_attribute();
  attribute.set_name(name);
  attribute.set_type(onnx::AttributeProto::INT);
  attribute.set_i(value);
}

void add_stored(onnx::ModelProto& model, const std::string& name, const Sizes& sizes,
                const OnnxNumbers& numbers, int type = T::INT64) {
  auto& tensor = *model.mutable_graph()->add_initializer();
  tensor = tensor_of(numbers, type, sizes).value();
  tensor.set_name(name);
}

struct Given {
  Sizes sizes;
  OnnxNumbers numbers;
};

std::optional<OnnxNumbers> result(const onnx::NodeProto& node, const std::vector<Given>& given,
                                  const Sizes& sizes, int type = T::INT64) {
  std::vector<OnnxValue> inputs;
  for (const Given& each : given) inputs.push_back({each.sizes, &each.numbers});
  return worked_out(node, inputs, type, sizes);
}

onnx::NodeProto node_of(const std::string& op, int inputs = 1) {
  onnx::NodeProto node;
  node.set_op_type(op);
  for (int i = 0; i < inputs; ++i) node.add_input("i" + std::to_string(i));
  node.add_output("o");
  return node;
}

TEST(OnnxValues, ArithmeticOfSizesIsOnnxs) {
  const auto binary = [](const char* op, long double a, long double b, int type = T::INT64) {
    return result(node_of(op, 2), {{{1}, {a}}, {{1}, {b}}}, {1}, type);
  };
  EXPECT_EQ(binary("Add", 7, -2), OnnxNumbers{5});
  EXPECT_EQ(binary("Mul", 7, -2), OnnxNumbers{-14});
  EXPECT_EQ(binary("Div", 7, -2), OnnxNumbers{-3});  // towards zero
  EXPECT_EQ(binary("Div", 7, -2, T::FLOAT), OnnxNumbers{-3.5L});
  EXPECT_EQ(binary("Mod", -7, 4), OnnxNumbers{1});  // of the sign of the divisor
  EXPECT_EQ(binary("Equal", 4, 4, T::BOOL), OnnxNumbers{1});
  EXPECT_EQ(binary("Div", 7, 0), std::nullopt);
  EXPECT_EQ(binary("Mod", 7, 0), std::nullopt);
  EXPECT_EQ(binary("Mul", 4e18L, 4), std::nullopt);
  EXPECT_EQ(binary("Mul", 65536, 65536, T::INT32), std::nullopt);
  EXPECT_EQ(binary("Pow", 2, 3), std::nullopt);  // not among those that sizes are made of
  auto cast = node_of("Cast");
  add_integer(cast, "to", T::INT64);
  EXPECT_EQ(result(cast, {{{2}, {2.75L, -2.75L}}}, {2}), (OnnxNumbers{2, -2}));
  EXPECT_EQ(result(node_of("Where", 3), {{{2}, {0, 1}}, {{1}, {5}}, {{2}, {6, 7}}}, {2}),
            (OnnxNumbers{6, 5}));
  EXPECT_EQ(result(node_of("Add", 2), {{{2}, {1, 2}}, {{3}, {1, 2, 3}}}, {3}), std::nullopt);
}

TEST(OnnxValues, SizesAreTakenJoinedAndTurned) {
  const Given six{{3, 2}, {1, 2, 3, 4, 5, 6}};
  EXPECT_EQ(result(node_of("Shape"), {six}, {2}), (OnnxNumbers{3, 2}));
  auto part = node_of("Shape");
  add_integer(part, "start", -1);
  EXPECT_EQ(result(part, {six}, {1}), OnnxNumbers{2});
  EXPECT_EQ(result(node_of("Size"), {six}, {}), OnnxNumbers{6});
  EXPECT_EQ(result(node_of("Gather", 2), {six, {{1}, {-1}}}, {1, 2}), (OnnxNumbers{5, 6}));
  EXPECT_EQ(result(node_of("Gather", 2), {six, {{1}, {3}}}, {1, 2}), std::nullopt);
  auto concat = node_of("Concat", 2);
  add_integer(concat, "axis", 0);
  EXPECT_EQ(result(concat, {{{1}, {8}}, {{2}, {-1, 9}}}, {3}), (OnnxNumbers{8, -1, 9}));
  EXPECT_EQ(result(node_of("Transpose"), {six}, {2, 3}), (OnnxNumbers{1, 3, 5, 2, 4, 6}));
  // Rows from the last to the first, as exporters turn the pads of PyTorch around.
  const Given one{{1}, {-1}}, far{{1}, {-9.2e18L}}, axis{{1}, {0}};
  EXPECT_EQ(result(node_of("Slice", 5), {six, one, far, axis, one}, {3, 2}),
            (OnnxNumbers{5, 6, 3, 4, 1, 2}));
  EXPECT_EQ(result(node_of("Slice", 3), {six, {{1}, {1}}, {{1}, {9.2e18L}}}, {2, 2}),
            (OnnxNumbers{3, 4, 5, 6}));
  EXPECT_EQ(result(node_of("Slice", 5), {six, one, far, axis, {{1}, {0}}}, {3, 2}), std::nullopt);
  EXPECT_EQ(result(node_of("ConstantOfShape"), {{{1}, {3}}}, {3}), (OnnxNumbers{0, 0, 0}));
  EXPECT_EQ(result(node_of("Range", 3), {{{}, {2}}, {{}, {8}}, {{}, {3}}}, {2}),
            (OnnxNumbers{2, 5}));
  // Whatever does not come out as large as ONNX says is not known.
  EXPECT_EQ(result(node_of("Identity"), {six}, {5}), std::nullopt);
  EXPECT_EQ(result(node_of("ConstantOfShape"), {{{1}, {300}}}, {300}), std::nullopt);
}

TEST(OnnxValues, StoredNumbersAreReadWhereTheyAreFew) {
  for (const int type : {T::INT64, T::INT32, T::FLOAT, T::DOUBLE, T::BOOL})
    EXPECT_EQ(small_numbers(tensor_of({1, 0}, type, {2}).value()), (OnnxNumbers{1, 0})) << type;
  EXPECT_FALSE(tensor_of({1}, T::FLOAT16, {1}).has_value());
  onnx::TensorProto many;
  many.set_data_type(T::INT64);
  many.add_dims(257);
  EXPECT_FALSE(small_numbers(many).has_value());
}

// What exporters write for x.reshape(n, -1, h * w / 2).permute(…): sizes in tensors, worked out.
TEST(OnnxValues, ShapesThatAFileWorksOutAreKnown) {
  onnx::ModelProto model = empty_model();
  add_input(model, "x", {0, 6, 4, 4});
  add_stored(model, "first", {}, {0});
  add_stored(model, "third", {}, {2});
  add_stored(model, "two", {}, {2});
  add_stored(model, "axes", {1}, {0});
  add_stored(model, "rest", {1}, {-1});
  add_weights(model, "w", {8, 5});
  add_node(model, "Shape", {"x"}, "sizes");
  add_node(model, "Gather", {"sizes", "first"}, "n");
  add_node(model, "Gather", {"sizes", "third"}, "h");
  add_node(model, "Mul", {"h", "h"}, "hw");
  add_node(model, "Div", {"hw", "two"}, "half");
  add_node(model, "Unsqueeze", {"n", "axes"}, "n1");
  add_node(model, "Unsqueeze", {"half", "axes"}, "half1");
  add_integer(add_node(model, "Concat", {"n1", "rest", "half1"}, "to"), "axis", 0);
  add_node(model, "Reshape", {"x", "to"}, "rows");
  add_node(model, "MatMul", {"rows", "w"}, "y");
  add_output(model, "y");
  const auto network = onnx_network(model.SerializeAsString(), {.batch_size = 3});
  ASSERT_TRUE(network.ok()) << network.error().message;
  const auto layers = count_exact(network->graph);
  ASSERT_EQ(layers.size(), 1u);
  EXPECT_EQ(layers[0].shape, (Sizes{3, 12, 5}));
  EXPECT_EQ(layers[0].flop, 2. * 3 * 12 * 8 * 5);
}

}  // namespace
}  // namespace flyball
