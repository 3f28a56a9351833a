#include "predict/gp/form.h"

#include <algorithm>
#include <cmath>

namespace flyball::form {

Term leaf(const Vector& theta, int i, double offset) {
  Term term{theta[i] + offset, Gradient::Zero()};
  term.gradient[i] = 1;
  return term;
}

Term log_sum(std::initializer_list<Term> terms) {
  double top = terms.begin()->value;
  for (const Term& term : terms) top = std::max(top, term.value);
  Term sum{0, Gradient::Zero()};
  for (const Term& term : terms) {
    const double weight = std::exp(term.value - top);
    sum.value += weight;
    sum.gradient += weight * term.gradient;
  }
  sum.gradient /= sum.value;
  sum.value = top + std::log(sum.value);
  return sum;
}

Term log_norm(const Vector& theta, int i, std::initializer_list<Term> terms) {
  const double excess = std::exp(std::min(theta[i], 5.0)), p = 1 + excess;
  double top = terms.begin()->value;
  for (const Term& term : terms) top = std::max(top, term.value);
  Term norm{0, Gradient::Zero()};
  double spread = 0;
  for (const Term& term : terms) {
    const double weight = std::exp(p * (term.value - top));
    norm.value += weight;
    norm.gradient += weight * term.gradient;
    spread += weight * (term.value - top);
  }
  norm.gradient /= norm.value;
  const double log_weights = std::log(norm.value);
  norm.gradient[i] += excess * (spread / norm.value - log_weights / p) / p;
  norm.value = top + log_weights / p;
  return norm;
}

}  // namespace flyball::form
