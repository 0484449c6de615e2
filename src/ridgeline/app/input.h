// Input: the object that a request carries, brought to one spelling and read field by field.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "ridgeline/app/request.h"
#include "ridgeline/app/vocabulary.h"
#include "ridgeline/base/result.h"

namespace ridgeline::app {

// The value of a scalar in base units (a choice: its index), from a number in the key's unit or
// from text. Checked against the field's range; `where` of an error is empty.
Result<double> scalar_value(const ScalarRef& ref, const Json& value);

// What write and inputs show: a number in the key's unit, or the name of a choice.
Json scalar_json(const ScalarField& field, double base);

// One thing that a caller set: a name or path, its value, and what was typed for it.
struct Setting {
  std::string name;
  Json value;
  std::string typed;
};

// Collects values under their canonical names; whatever is given twice by one source is an error.
class InputBuilder {
 public:
  InputBuilder(const Vocabulary& vocabulary, Origins& origins);

  // The whole object of a spec file or a program; `origins.source` labels its keys.
  Status add_object(const Json& object);

  // Flags and --set, in the order given; they replace what the object said.
  Status add_settings(const std::vector<Setting>& settings);

  // Scalars of the machine that were given on their own, to be laid over it: pointer and value.
  struct MachineScalar {
    ScalarRef ref;
    double value;
  };
  const std::vector<MachineScalar>& machine_scalars() const { return machine_scalars_; }

  Json take() { return std::move(input_); }

 private:
  Status add_plan(const Json& plan);
  Status add(const std::string& name, const Json& value, const std::string& typed);
  Status add_nested(const Setting& setting);
  Status claim(const std::string& pointer, const std::string& typed);
  Status add_machine_scalar(const Target& target, const Json& value, const std::string& typed);

  const Vocabulary& vocabulary_;
  Origins& origins_;
  Json input_ = Json::object();
  std::map<std::string, std::string> spelled_;  // pointer -> where its value stands, unit included
  std::vector<std::string> claimed_;            // pointers that the current source has set
  std::vector<MachineScalar> machine_scalars_;
};

// Typed access to the command's own fields in a canonical input.
class InputReader {
 public:
  InputReader(const Json& input, const Origins& origins, const Command& command)
      : input_(input), origins_(origins), command_(command) {}

  bool has(std::string_view name) const;
  Result<std::string> text(std::string_view name) const;  // the fallback where missing
  Result<std::size_t> choice(std::string_view name) const;
  Result<std::int64_t> count(std::string_view name, std::int64_t least, std::int64_t most) const;
  Result<bool> toggle(std::string_view name) const;
  Result<std::vector<std::string>> texts(std::string_view name) const;

 private:
  const Json* find(std::string_view name) const;
  Error wrong_type(std::string_view name, const char* due) const;

  const Json& input_;
  const Origins& origins_;
  const Command& command_;
};

// "a number", "a list", ...: what a JSON value is, for messages.
const char* kind_name(const Json& value);

}  // namespace ridgeline::app
