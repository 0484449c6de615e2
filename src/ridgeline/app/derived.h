// Derived: commands whose fields are those of a struct, and what their answers share.
#pragma once

#include <deque>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "ridgeline/app/command.h"
#include "ridgeline/app/members.h"
#include "ridgeline/app/names.h"
#include "ridgeline/app/resolve.h"
#include "ridgeline/solve/subject.h"

namespace ridgeline::app {

Command fit_command();
Command solve_command();
Command explain_command();
Command evaluate_command();

// Fields of a command; owns their texts.
class FieldList {
 public:
  FieldList() = default;
  FieldList(FieldList&&) = default;  // texts stay where they are
  FieldList& operator=(FieldList&&) = default;

  void add(const Field& field) { fields_.push_back(field); }
  void add(std::span<const Member> members);  // a name that is there already is left out

  std::span<const Field> fields() const { return fields_; }

 private:
  const char* keep(std::string text);

  std::deque<std::string> texts_;
  std::vector<Field> fields_;
};

// --model, --params, --active-params, --machine, --devices.
std::span<const Field> subject_fields();

// A request with `params` put into `model`.
Result<Request> with_totals(const Request& request);

// The model, by its config or by its totals, and the machine, where they are given.
struct SubjectInput {
  const Model* model = nullptr;
  std::optional<Totals> totals;
  std::optional<Machine> machine;

  solve::Subject subject() const {
    return {model, totals ? &*totals : nullptr, machine ? &*machine : nullptr};
  }
};
Result<SubjectInput> subject_of(const Request& request, Names& names);

// Tells `names` how many devices are asked for, if a machine is.
Status set_devices(const Request& request, Names& names);

// What `inputs` shows: the members as they were used, with models and machines as they were given.
Json inputs_json(const Request& request, std::span<const Member> members);

// Numbers that are infinite or undefined become null, with a note that names them.
void drop_non_finite(Json& tree, std::vector<Note>& notes);

// A pointer error in the user's words.
Error placed(const Request& request, Error error);

// An error of a solver's check, whose `where` is "hardware/memory_bandwidth": named as the user
// wrote it, or by the key that results print.
Error placed_check(const Request& request, std::span<const Member> members, Error error);

}  // namespace ridgeline::app
