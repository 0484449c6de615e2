#include "ridgeline/app/worked.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "ridgeline/app/json_view.h"
#include "ridgeline/base/expression.h"
#include "ridgeline/base/text.h"

namespace ridgeline::app {
namespace {

constexpr double kAgreement = 1e-9;  // relative, of an equation and the answer

struct Equation {
  std::string label, left, right;  // "(3) ", "tau", "sqrt(2 delta M)"
};

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && text.front() == ' ') text.remove_prefix(1);
  while (!text.empty() && text.back() == ' ') text.remove_suffix(1);
  return text;
}

bool is_label(std::string_view text) {
  return text.size() > 2 && text.front() == '(' && text.back() == ')' &&
         std::all_of(text.begin() + 1, text.end() - 1, [](char c) { return c >= '0' && c <= '9'; });
}

// Lines of the card between "Equations" and the next word at the margin.
std::vector<std::string> equation_lines(std::string_view card) {
  std::vector<std::string> out;
  bool inside = false;
  while (!card.empty()) {
    const std::size_t end = std::min(card.find('\n'), card.size());
    const std::string line(card.substr(0, end));
    card.remove_prefix(std::min(end + 1, card.size()));
    const bool margin = !line.empty() && line[0] != ' ';
    if (line.starts_with("Equations")) inside = true;
    if (line.starts_with("Assumes")) inside = false;
    if (!inside || margin) continue;
    const std::string_view text = trimmed(line);
    const bool continues = !text.empty() && (text[0] == '+' || text[0] == '-');
    if (continues && !out.empty()) {
      out.back() += " " + std::string(text);
    } else {
      out.push_back(line);
    }
  }
  return out;
}

// Parts that two spaces, ";" or a comma outside brackets set apart; citations left out.
std::vector<std::string> parts_of(std::string_view line) {
  std::vector<std::string> out(1);
  int depth = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (c == '[') return out;
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    const bool gap = c == ' ' && i + 1 < line.size() && line[i + 1] == ' ';
    if (gap || (depth == 0 && (c == ',' || c == ';'))) {
      if (!trimmed(out.back()).empty()) out.emplace_back();
    } else {
      out.back() += c;
    }
  }
  return out;
}

// The sides of "a = b = c"; the words before a colon name the case, not a side.
std::vector<std::string> sides_of(std::string_view part) {
  const std::size_t colon = part.find(": ");
  if (colon != std::string_view::npos && colon < part.find('=')) part.remove_prefix(colon + 2);
  std::vector<std::string> out;
  for (std::size_t at = 0; at != std::string_view::npos;) {
    const std::size_t end = part.find(" = ", at);
    out.emplace_back(trimmed(part.substr(at, end == std::string_view::npos ? end : end - at)));
    at = end == std::string_view::npos ? end : end + 3;
  }
  return out;
}

// "M        = m / n" has its sign after a gap: the name before it is a side all the same.
std::string closed_up(const std::string& line) {
  std::string out;
  for (const char c : line) {
    if (c == '=' && out.ends_with(' ')) out.resize(out.find_last_not_of(' ') + 1), out += ' ';
    out += c;
  }
  return out;
}

std::vector<Equation> equations_of(std::string_view card) {
  std::vector<Equation> out;
  std::string label;
  for (const std::string& line : equation_lines(card)) {
    std::string text(trimmed(line));
    const std::string word = text.substr(0, text.find(' '));
    if (is_label(word)) {
      label = word + " ";
      text.erase(0, word.size());
    }
    for (const std::string& part : parts_of(closed_up(text))) {
      const std::vector<std::string> sides = sides_of(part);
      for (std::size_t i = 1; i < sides.size(); ++i) out.push_back({label, sides[0], sides[i]});
    }
  }
  return out;
}

// A symbol that is the unit of its key, "days" of duration_days, counts those.
bool counts_its_unit(const Term& term) {
  return !term.symbol.empty() && term.key.ends_with("_" + term.symbol);
}

double value_of(const Term& term) {
  return term.value.get<double>() * (counts_its_unit(term) ? 1 : term.unit);
}

std::string text_of(const Term& term) {
  if (counts_its_unit(term)) return value_text(term.symbol, term.value);
  if (term.dim != Dim{}) return format_quantity(value_of(term), term.dim);
  return value_text(term.key, term.value);
}

class Page {
 public:
  Page(std::span<const Term> inputs, std::span<const Term> outputs) {
    for (const Term& term : inputs) know(term);
    for (const Term& term : outputs) know(term);
    for (const std::string& name : ambiguous_) known_.erase(name);
  }

  // Names that equations give to what is no field: theta = c/s - lambda.
  void define(const Equation& equation) {
    const auto right = Expression::parse(equation.right);
    if (!right || known_.contains(equation.left)) return;
    const auto left = Expression::parse(equation.left);
    if (!left || left->names() != std::vector{equation.left}) return;
    const auto value = right->value(names());
    if (!value) return;
    known_[equation.left] = {*value, equation.left};
    defined_[equation.left] =
        fmt::format("{}{} = {}", equation.label, equation.left, right->with_values(names()));
  }

  // The answer's value by this equation; what it rests on goes before it.
  void work(const Equation& equation, const Term& term) {
    const auto parsed = Expression::parse(equation.right);
    if (!parsed || done_.contains(term.key)) return;
    const auto value = parsed->value(names());
    const double due = value_of(term);
    if (!value || std::fabs(*value - due) > kAgreement * std::fabs(due)) return;
    const std::string put = parsed->with_values(names());
    if (put == text_of(term)) return;  // another name of the same
    done_.insert(term.key);
    for (const std::string& name : parsed->names()) show_definition(name);
    lines_.push_back(
        fmt::format("{}{} = {} = {}", equation.label, equation.left, put, text_of(term)));
  }

  std::vector<std::string> lines() && { return std::move(lines_); }

 private:
  Expression::Names names() const {
    return [this](std::string_view name) -> const Known* {
      const auto found = known_.find(name);
      return found == known_.end() ? nullptr : &found->second;
    };
  }

  // A symbol that stands for two values stands for none.
  void know(const Term& term) {
    if (!term.value.is_number()) return;
    const Known known{value_of(term), text_of(term)};
    const auto found = known_.find(term.symbol);
    if (found != known_.end() && found->second.value != known.value) ambiguous_.insert(term.symbol);
    known_[term.symbol] = known;
  }

  void show_definition(const std::string& name) {
    const auto found = defined_.find(name);
    if (found == defined_.end()) return;
    lines_.push_back(found->second);
    defined_.erase(found);
  }

  std::map<std::string, Known, std::less<>> known_;
  std::set<std::string> ambiguous_, done_;
  std::map<std::string, std::string> defined_;
  std::vector<std::string> lines_;
};

bool is_worked(const Term& term) {
  return !term.symbol.empty() && term.value.is_number();
}

}  // namespace

std::vector<std::string> worked_equations(std::string_view card, std::span<const Term> inputs,
                                          std::span<const Term> outputs) {
  const std::vector<Equation> equations = equations_of(card);
  Page page(inputs, outputs);
  for (const Equation& equation : equations) page.define(equation);
  for (const Equation& equation : equations) page.define(equation);  // what later ones define
  for (const Equation& equation : equations) {
    for (const Term& term : outputs) {
      if (is_worked(term) && term.symbol == equation.left) {
        page.work(equation, term);
      }
    }
  }
  for (const Term& term : outputs) {
    if (is_worked(term)) page.work({"", term.key, term.symbol}, term);
  }
  return std::move(page).lines();
}

}  // namespace ridgeline::app
