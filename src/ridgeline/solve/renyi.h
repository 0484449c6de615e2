// Renyi accounting: what steps of Gaussian noise on a random share of the records reveal.
//
//   A(a) = E[((1 - q) + q e^((2 z - 1)/(2 sigma^2)))^a], z of mean 0 and deviation sigma
//   RDP(a) = ln A(a)/(a - 1) of one step;  q = 1: a/(2 sigma^2)                              (1)
//   whole a: A = sum over k of C(a, k) (1 - q)^(a - k) q^k e^((k^2 - k)/(2 sigma^2)); other a: the
//   two series in erfc that split z at sigma^2 ln(1/q - 1) + 1/2                             (2)
//   epsilon = min over a of (steps ln A(a) + ln(1/delta))/(a - 1), which has one minimum     (3)
// (1) [mironov2017], (2) [mironov2019], (3) [abadi2016] [mironov2017]
#pragma once

namespace ridgeline::solve {

struct Mechanism {
  double noise = 1;        // sigma, over the norm to which gradients are clipped
  double sample_rate = 1;  // q
};

// Of one step, at an order above 1.
double renyi_divergence(const Mechanism& mechanism, double order);

struct Privacy {
  double epsilon = 0;
  double order = 0;  // that gives it
};

// Below a sample rate of 1 orders up to 65,536 are tried: epsilon is not below ln(1/delta)/65,535.
Privacy privacy_of(const Mechanism& mechanism, double steps, double delta);

}  // namespace ridgeline::solve
