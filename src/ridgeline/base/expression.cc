#include "ridgeline/base/expression.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>

namespace ridgeline {
namespace {

constexpr std::array kFunctions = {"max", "min", "sqrt", "ln", "log2", "ceil", "floor"};
constexpr int kMostDepth = 64;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}
bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '$';
}

double applied(std::string_view function, const std::vector<double>& given) {
  if (function == "max") return *std::max_element(given.begin(), given.end());
  if (function == "min") return *std::min_element(given.begin(), given.end());
  if (function == "sqrt") return std::sqrt(given[0]);
  if (function == "ln") return std::log(given[0]);
  if (function == "log2") return std::log2(given[0]);
  return function == "ceil" ? std::ceil(given[0]) : std::floor(given[0]);
}

}  // namespace

// Text to tokens; crosses and the brackets of "2M" are put in.
class Expression::Reader {
 public:
  explicit Reader(std::string_view text) : text_(text) {}

  bool read(std::vector<Token>& out) {
    while (at_ < text_.size()) {
      const char c = text_[at_];
      if (c == ' ') {
        ++at_;
      } else if (is_digit(c)) {
        if (!read_number(out)) return false;
      } else if (is_letter(c)) {
        if (!read_name(out)) return false;
      } else if (!read_sign(c, out)) {
        return false;
      }
    }
    return !out.empty();
  }

 private:
  static bool ends_operand(const std::vector<Token>& out) {
    if (out.empty()) return false;
    const Kind last = out.back().kind;
    return last == Kind::number || last == Kind::name || last == Kind::close;
  }

  static void begin_operand(std::vector<Token>& out) {
    if (ends_operand(out)) out.push_back({Kind::times, "x"});
  }

  bool read_number(std::vector<Token>& out) {
    begin_operand(out);
    double number = 0;
    const char* begin = text_.data() + at_;
    const auto [end, error] = std::from_chars(begin, text_.data() + text_.size(), number);
    if (error != std::errc{}) return false;
    at_ += static_cast<std::size_t>(end - begin);
    const Token token{Kind::number, std::string(begin, end), number};
    const bool tight = at_ < text_.size() && is_letter(text_[at_]);
    if (!tight) {
      out.push_back(token);
      return true;
    }
    out.insert(out.end(), {{Kind::open, "("}, token, {Kind::times, "x"}});
    out.push_back({Kind::name, name()});
    out.push_back({Kind::close, ")"});
    return true;
  }

  std::string name() {
    const std::size_t begin = at_;
    while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_]))) ++at_;
    if (at_ < text_.size() && (text_[at_] == '*' || text_[at_] == '\'')) ++at_;
    return std::string(text_.substr(begin, at_ - begin));
  }

  bool read_name(std::vector<Token>& out) {
    const std::string word = name();
    const char next = at_ < text_.size() ? text_[at_] : ' ';
    if (word == "x" && ends_operand(out) && next == ' ') {
      out.push_back({Kind::times, "x"});
      return true;
    }
    begin_operand(out);
    if (word == "e" && next == '^') {
      out.push_back({Kind::number, "e", std::exp(1.0)});
      return true;
    }
    const bool function = std::find(kFunctions.begin(), kFunctions.end(), word) != kFunctions.end();
    const bool called = next == '(' || (word == "ln" && next == ' ');
    out.push_back({function && called ? Kind::function : Kind::name, word});
    return function || next != '(';
  }

  bool read_sign(char c, std::vector<Token>& out) {
    ++at_;
    const std::string text(1, c);
    switch (c) {
      case '(':
        begin_operand(out);
        out.push_back({Kind::open, text});
        return true;
      case ')': out.push_back({Kind::close, text}); return true;
      case ',': out.push_back({Kind::comma, text}); return true;
      case '+': out.push_back({Kind::add, text}); return true;
      case '/': out.push_back({Kind::over, text}); return true;
      case '^': out.push_back({Kind::power, text}); return true;
      case '-':
        out.push_back({ends_operand(out) ? Kind::subtract : Kind::negate, text});
        return true;
      default: return false;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

// Sum, product, power, operand. Without names it only looks whether the tokens make a sum.
class Expression::Evaluator {
 public:
  Evaluator(const std::vector<Token>& tokens, const Names* names)
      : tokens_(tokens), names_(names) {}

  std::optional<double> run() {
    const double value = sum();
    if (failed_ || at_ != tokens_.size()) return std::nullopt;
    return value;
  }

 private:
  bool next_is(Kind kind) const { return at_ < tokens_.size() && tokens_[at_].kind == kind; }
  bool take(Kind kind) {
    if (!next_is(kind)) return false;
    ++at_;
    return true;
  }
  double fail() {
    failed_ = true;
    return 0;
  }

  double sum() {
    if (++depth_ > kMostDepth) return fail();
    double value = product();
    while (!failed_ && (next_is(Kind::add) || next_is(Kind::subtract))) {
      const bool adds = tokens_[at_++].kind == Kind::add;
      const double right = product();
      value = adds ? value + right : value - right;
    }
    --depth_;
    return value;
  }

  double product() {
    double value = power();
    while (!failed_ && (next_is(Kind::times) || next_is(Kind::over))) {
      const bool times = tokens_[at_++].kind == Kind::times;
      const double right = power();
      value = times ? value * right : value / right;
    }
    return value;
  }

  double power() {
    if (take(Kind::negate)) return ++depth_ > kMostDepth ? fail() : negated();
    const double base = operand();
    return take(Kind::power) ? std::pow(base, power()) : base;
  }
  double negated() {
    const double value = -power();
    --depth_;
    return value;
  }

  double operand() {
    if (failed_ || at_ >= tokens_.size()) return fail();
    const Token& token = tokens_[at_++];
    switch (token.kind) {
      case Kind::number: return token.number;
      case Kind::name: return named(token.text);
      case Kind::function: return called(token.text);
      case Kind::open: {
        const double value = sum();
        return take(Kind::close) ? value : fail();
      }
      default: return fail();
    }
  }

  double named(const std::string& name) {
    if (names_ == nullptr) return 1;
    const Known* known = (*names_)(name);
    return known != nullptr ? known->value : fail();
  }

  double called(const std::string& function) {
    std::vector<double> given;
    if (!take(Kind::open)) return applied(function, {power()});  // ln N
    do given.push_back(sum());
    while (!failed_ && take(Kind::comma));
    return take(Kind::close) && !failed_ ? applied(function, given) : fail();
  }

  const std::vector<Token>& tokens_;
  const Names* names_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool failed_ = false;
};

std::optional<Expression> Expression::parse(std::string_view text) {
  Expression out;
  if (!Reader(text).read(out.tokens_)) return std::nullopt;
  if (!Evaluator(out.tokens_, nullptr).run()) return std::nullopt;
  return out;
}

std::optional<double> Expression::value(const Names& names) const {
  const auto value = Evaluator(tokens_, &names).run();
  return value && std::isfinite(*value) ? value : std::nullopt;
}

std::string Expression::with_values(const Names& names) const {
  std::string out;
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    const Token& token = tokens_[i];
    switch (token.kind) {
      case Kind::add:
      case Kind::subtract:
      case Kind::times:
      case Kind::over: out += " " + token.text + " "; break;
      case Kind::comma: out += ", "; break;
      case Kind::name: {
        const Known* known = names(token.text);
        const std::string text = known != nullptr ? known->text : token.text;
        const bool raised = i + 1 < tokens_.size() && tokens_[i + 1].kind == Kind::power;
        const bool bare = text.find(' ') == std::string::npos && text[0] != '-';
        out += bare || !raised ? text : "(" + text + ")";
        break;
      }
      default: out += token.text;
    }
  }
  return out;
}

std::vector<std::string> Expression::names() const {
  std::vector<std::string> out;
  for (const Token& token : tokens_) {
    if (token.kind == Kind::name) out.push_back(token.text);
  }
  return out;
}

}  // namespace ridgeline
