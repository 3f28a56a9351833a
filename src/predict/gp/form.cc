#include "predict/gp/form.h"

#include <algorithm>
#include <cmath>

namespace flyball::form {

Tape::Term Tape::add(Node node) {
  nodes_.push_back(std::move(node));
  return nodes_.size() - 1;
}

Tape::Term Tape::leaf(int i, const Column& offset) {
  if (!slopes_) return add({theta_[i] + offset, {}});
  return add({theta_[i] + offset, {{i, Column::Ones(offset.size())}}});
}

void Tape::moves(Term term, int i, const Column& slope) {
  if (slopes_) nodes_[term].slopes.emplace_back(i, slope);
}

Tape::Node Tape::combined(Term a, Term b, double power) const {
  const Column &first = value(a), &second = value(b);
  const Column smaller = (-power * (first - second).abs()).exp();  // the larger one counts as 1
  Node node{first.max(second) + (1 + smaller).log() / power, {}, a, b};
  if (!slopes_) return node;
  const Column share = (1 + smaller).inverse();
  node.weight_a = (first >= second).select(share, smaller * share);
  node.weight_b = 1 - node.weight_a;
  return node;
}

Tape::Term Tape::log_sum(Term a, Term b) {
  return add(combined(a, b, 1));
}

Tape::Term Tape::log_norm(int i, Term a, Term b) {
  const double excess = std::exp(std::min(theta_[i], 5.0)), p = 1 + excess;
  Node node = combined(a, b, p);
  if (!slopes_) return add(std::move(node));
  // d/dp of log(exp pa + exp pb) / p.
  const Column mean = node.weight_a * value(a) + node.weight_b * value(b);
  node.slopes.emplace_back(i, excess / p * (mean - node.value));
  return add(std::move(node));
}

Matrix Tape::gradient() const {
  const Index rows = nodes_.back().value.size();
  Matrix gradient = Matrix::Zero(rows, theta_.size());
  std::vector<Column> moved(nodes_.size(), Column::Zero(rows));  // the whole, by each term
  moved.back().setOnes();
  for (Term term = nodes_.size(); term-- > 0;) {
    const Node& node = nodes_[term];
    for (const auto& [i, slope] : node.slopes) gradient.col(i).array() += moved[term] * slope;
    if (node.a == node.b) continue;
    moved[node.a] += moved[term] * node.weight_a;
    moved[node.b] += moved[term] * node.weight_b;
  }
  return gradient;
}

}  // namespace flyball::form
