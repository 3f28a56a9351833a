// Samples of a Gaussian process before any reading: a zero-mean Matérn-5/2 process of amplitude 1.
//
// On a grid they are exact: the covariance is a Kronecker product over the axes, and so is its
// Cholesky factor (Saatçi, "Scalable inference for structured Gaussian process models", 2011).
// Few rows of a large grid are exact by the factor of their own covariance. For many, random
// Fourier features (Rahimi, Recht, NIPS 2007) take its place, with frequencies of Student's t with
// 5 degrees.
#pragma once

#include <cstdint>

#include "predict/gp/matern.h"

namespace flyball {

/// The rows of both, `a` first, over the distinct values of both.
CodedRows joined(const CodedRows& a, const CodedRows& b);

/// Standard normal numbers, rows × columns; equal for equal seeds, whatever the columns.
Matrix normal_numbers(Index rows, Index columns, uint64_t seed);

/// count × rows: a draw in each row of the matrix. `lengths`: one for each axis. The same numbers
/// underlie it for one seed: draws of similar lengths over the same rows are similar surfaces.
Matrix process_draws(const CodedRows& rows, const Vector& lengths, Index count, uint64_t seed);

}  // namespace flyball
