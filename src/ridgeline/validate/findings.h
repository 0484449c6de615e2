// Findings: what is predicted for measured rows, and which rows are not answered, and why.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ridgeline/physics/pace.h"

namespace ridgeline::validate {

// Classes that a row counts in, most specific first: "serve/dense/H100", "serve/dense/all", ...
using Classes = std::vector<std::string>;

struct Prediction {
  std::string id;
  Classes classes;
  std::string quantity;  // "tpot"
  double measured = 0;   // base units of the quantity
  double predicted = 0;
  physics::Basis basis = physics::Basis::estimate;

  double error() const;  // (predicted - measured)/measured
};

struct Skipped {
  std::string id;
  Classes classes;
  std::string quantity;  // "other" where no solver knows it
  std::string reason;
};

struct Findings {
  std::vector<Prediction> predictions;
  std::vector<Skipped> skipped;
};

// How a class fares, over all of its rows of one quantity.
struct Score {
  std::string row_class, quantity;
  std::int64_t rows = 0, skipped = 0;
  double median_abs_error = 0, mean_abs_error = 0, p90_abs_error = 0;
  double bias = 0;                // mean signed error
  double interval_coverage = -1;  // share of rows inside the interval of the others; < 0: too few

  double skipped_share() const {
    return static_cast<double>(skipped) / static_cast<double>(rows + skipped);
  }
};

// One score per class and quantity, sorted by class; a class without answered rows has rows = 0.
// The interval of a row is its prediction times the 10th and 90th percentile of measured/predicted
// of the other rows of its class; it needs 20 of them.
std::vector<Score> scores_of(const Findings& findings);

// Quantile q of the values, linear between neighbours. REQUIRES: not empty.
double quantile(std::vector<double> values, double q);

}  // namespace ridgeline::validate
