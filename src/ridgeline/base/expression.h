// Expression: arithmetic as the cards of the solvers write it.
//
// "2 delta M" is a product, and binds like one: O B/(R e) divides O B; "tau/2M" divides by 2 M. x
// is a cross, e^ the exponential. max, min, sqrt, ln, log2, ceil and floor are functions.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ridgeline {

// What a name stands for, and how it is written where it is put in.
struct Known {
  double value = 0;
  std::string text;
};

class Expression {
 public:
  using Names = std::function<const Known*(std::string_view name)>;  // null: not known

  // None: the text is no arithmetic, such as words.
  static std::optional<Expression> parse(std::string_view text);

  // None: a name is not known, or the value is not finite.
  std::optional<double> value(const Names& names) const;

  // The expression with the texts of its names in their places: "sqrt(2 x 60 s x 1.5 h)".
  std::string with_values(const Names& names) const;

  // The names in it, each as often as it occurs.
  std::vector<std::string> names() const;

 private:
  enum class Kind : char {
    number,
    name,
    function,
    open,
    close,
    comma,
    add,
    subtract,
    times,
    over,
    power,
    negate
  };
  struct Token {
    Kind kind;
    std::string text;
    double number = 0;
  };
  class Reader;
  class Evaluator;

  std::vector<Token> tokens_;
};

}  // namespace ridgeline
