// Mean functions of a physical shape: log of a sum of non-negative terms in powers of the axes,
// whose log weights are the parameters. This file: what such forms are made of.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "predict/gp/coordinates.h"
#include "predict/matrix.h"

namespace flyball {

/// A parameter of a form: its name is shared between workloads and boards.
struct FormParameter {
  std::string name;
  double mean, sd;  ///< normal prior
};

/// What a form says of n configurations.
struct FormValue {
  Vector value;     ///< logarithm, up to a level that is not the form's business
  Matrix jacobian;  ///< n × parameters
};

namespace form {

/// At most so many axes of unknown meaning have terms of their own.
inline constexpr int most_others = 4;

using Column = Eigen::ArrayXd;

/// A form over some rows at once: each term is a column of logarithms. Derivatives by the
/// parameters θ are accumulated backwards, from the whole to its terms.
class Tape {
 public:
  using Term = size_t;

  /// `slopes`: will gradient() be asked for?
  Tape(const Vector& theta, bool slopes) : theta_(theta), slopes_(slopes) {}

  /// θ_i + offset.
  Term leaf(int i, const Column& offset);
  /// The term moves with θ_i, too, by so much in each row.
  void moves(Term term, int i, const Column& slope);
  /// log(exp a + exp b).
  Term log_sum(Term a, Term b);
  /// log of the p-norm of exp a and exp b, p = 1 + exp(θ_i): between a sum (p = 1) and the larger.
  Term log_norm(int i, Term a, Term b);

  const Column& value(Term term) const { return nodes_[term].value; }
  /// Rows × parameters: the derivatives of the last term made.
  Matrix gradient() const;

 private:
  struct Node {
    Column value;
    std::vector<std::pair<int, Column>> slopes;  ///< by parameter
    Term a = 0, b = 0;                           ///< what it is made of; equal: of nothing
    Column weight_a = {}, weight_b = {};         ///< its slopes by them
  };
  Term add(Node node);
  /// With a norm's `power`; a sum is one of power 1.
  Node combined(Term a, Term b, double power) const;

  const Vector& theta_;
  bool slopes_;
  std::vector<Node> nodes_;
};

}  // namespace form
}  // namespace flyball
