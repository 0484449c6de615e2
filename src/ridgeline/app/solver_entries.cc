// The solvers, one by one: the only place where their types are seen.
#include <algorithm>
#include <array>
#include <type_traits>

#include "ridgeline/app/facts.h"
#include "ridgeline/app/levers.h"
#include "ridgeline/app/solve.h"
#include "ridgeline/app/uncertain.h"
#include "ridgeline/physics/pace.h"
#include "ridgeline/physics/setting.h"
#include "ridgeline/solve/all.h"

namespace ridgeline::app {
namespace {

constexpr Field kSolverField{"solver", FieldKind::text, "", "which solver"};
constexpr Field kHardware{"hardware", FieldKind::hardware, "", "a device, in place of a machine"};

// Keys of which any that is false makes an answer a no.
constexpr std::array kVerdicts = {"feasible", "stable", "fits"};

template <class S>
constexpr bool kTakesSubject = !std::is_invocable_v<decltype(S::check), const typename S::Inputs&>;

template <class I>
constexpr bool kHasSetting = requires(I in) {
  in.setting;
};
template <class I>
constexpr bool kHasService = requires(I in) {
  in.service.setting;
};

bool has_field(std::span<const Member> members, const char* name) {
  return std::any_of(members.begin(), members.end(),
                     [&](const Member& m) { return m.name == name; });
}

bool has_field(std::span<const Field> fields, std::string_view name) {
  return std::any_of(fields.begin(), fields.end(), [&](const Field& f) { return f.name == name; });
}

// The fields that a solver takes besides its own: a model in place of totals, a machine in place of
// a device, and number formats and efficiencies, needed or not.
template <class I>
void add_shared(bool takes_subject, std::span<const Member> own, FieldList& out) {
  const bool device = has_field(own, "hardware") || has_field(own, "machine");
  const bool model = takes_subject || has_field(own, "model");
  for (const Field& field : subject_fields()) {
    const std::string_view name = field.name;
    const bool of_model = name == "model" || name == "params" || name == "active_params";
    if (of_model ? !model : !(takes_subject || device)) continue;
    if (!has_field(out.fields(), name)) out.add(field);
  }
  if (takes_subject && !has_field(own, "hardware")) out.add(kHardware);
  if (!takes_subject || !model) return;
  physics::Setting setting;
  out.add(members_of(setting));
}

// A machine stands for its device where a solver takes no more.
Request with_device(const Request& request, std::span<const Member> members) {
  const bool only_device = has_field(members, "hardware") && !has_field(members, "machine");
  const auto machine = request.input.find("machine");
  if (!only_device || machine == request.input.end() || request.input.contains("hardware")) {
    return request;
  }
  Request out = request;
  out.input["hardware"] = *machine;
  out.origins.typed["/hardware"] = request.origins.where("/machine");
  return out;
}

void put_verdict(Solved& out) {
  for (const char* key : kVerdicts) {
    const auto it = out.result.find(key);
    if (it != out.result.end() && it->is_boolean() && !it->get<bool>()) out.good = false;
  }
}

// What the rows of an answer are called.
template <class Row>
std::string rows_name_of(std::span<const Member> like) {
  if constexpr (requires { Row::kListName; }) return Row::kListName;
  if (like.size() == 1) return like[0].key;
  return has_field(like, "stage") ? "stages" : "rows";
}

// What a solver answers, whether or not it is asked about a subject.
template <class S>
auto answer_like() {
  using I = typename S::Inputs;
  if constexpr (std::is_invocable_v<decltype(S::solve), const I&>) {
    return std::invoke_result_t<decltype(S::solve), const I&>{};
  } else {
    return std::invoke_result_t<decltype(S::solve), const I&, const solve::Subject&>{};
  }
}

// The fields of a solver's answer.
template <class S>
void add_outputs(FieldList& out) {
  auto answer = answer_like<S>();
  if constexpr (requires { answer.output; }) {
    out.add(members_of(answer.output));
    using Row = typename decltype(answer.rows)::value_type;
    Row row{};
    Member rows;
    rows.name = rows.key = rows_name_of<Row>(members_of(row));
    rows.kind = FieldKind::texts;
    rows.help = "one per stage, candidate or point";
    rows.get = [] { return Json(nullptr); };
    out.add(std::span(&rows, 1));
  } else {
    out.add(members_of(answer));
  }
}

// Rows of one field are a list of its values; others a list of objects.
template <class Row>
void put_rows(const std::vector<Row>& rows, Solved& out) {
  Row none{};
  const std::vector<Member> like = members_of(none);
  const bool single = like.size() == 1;
  out.rows_name = rows_name_of<Row>(like);
  Json list = Json::array();
  for (Row row : rows) {
    const std::vector<Member> members = members_of(row);
    out.rows.push_back(members_json(members));
    list.push_back(single ? members[0].get() : out.rows.back());
  }
  out.result[out.rows_name] = std::move(list);
}

template <class Answer>
void put_answer(Answer answer, Solved& out) {
  if constexpr (requires { answer.output; }) {
    const std::vector<Member> members = members_of(answer.output);
    out.result = members_json(members);
    out.out = terms_of(members);
    put_rows(answer.rows, out);
  } else {
    const std::vector<Member> members = members_of(answer);
    out.result = members_json(members);
    out.out = terms_of(members);
  }
  put_verdict(out);
}

// Where the efficiencies that an answer rests on come from.
template <class I>
std::string basis_of_inputs(const I& in) {
  static const Hardware kNone;
  const physics::Setting* setting = nullptr;
  const Hardware* hardware = &kNone;
  if constexpr (kHasSetting<I>) setting = &in.setting;
  if constexpr (kHasService<I>) {
    setting = &in.service.setting;
    hardware = &in.service.hardware;
  }
  if constexpr (requires { in.hardware.sustained; }) hardware = &in.hardware;
  if constexpr (requires { in.machine.device; }) hardware = &in.machine.device;
  if (setting == nullptr) return "datasheet";
  const physics::Basis basis = physics::basis_of(*hardware, *setting);
  return names_of(basis)[static_cast<std::size_t>(basis)];
}

template <class S>
Result<typename S::Inputs> read_inputs(const S&, const Request& request, Names& names) {
  typename S::Inputs in;
  const std::vector<Member> members = members_of(in);
  if (!has_field(members, "devices")) RIDGELINE_CHECK(set_devices(request, names));
  const Status status = read_members(members, with_device(request, members).input, names);
  if (!status) return placed(with_device(request, members), status.error());
  return in;
}

// A solver that chooses among devices takes those of the registry when none is given.
template <class I>
bool fill_candidates(I& in, Names& names, const Context& context) {
  if constexpr (requires { in.candidates; }) {
    if (!in.candidates.empty()) return false;
    for (const std::string& name : context.catalog->names(catalog::EntryKind::accelerator)) {
      const auto hardware = names.device(name);
      if (hardware) in.candidates.push_back({name, *hardware});
    }
    return true;
  } else {
    return false;
  }
}

// A solver that asks for them takes the curves and the links of its device.
template <class I>
Status fill_measured(I& in, const Request& request, Names& names, Json& sources) {
  if constexpr (requires { in.kernels; }) {
    const auto hardware = request.input.find("hardware");
    if (hardware == request.input.end()) return Ok{};
    const auto measured = names.measured(*hardware);
    if (!measured) return placed(request, inside_of("/hardware", measured.error()));
    in.kernels = measured->kernels;
    if (!in.link_bandwidth) in.link_bandwidth = measured->link_bandwidth;
    if (in.kernels != nullptr) {
      sources.push_back({{"field", "kernels"}, {"source", "aiconfigurator-core"}});
    }
  }
  return Ok{};
}

template <class S>
Result<typename S::Inputs> check_inputs(const S& solver, const typename S::Inputs& in,
                                        const solve::Subject& subject) {
  if constexpr (kTakesSubject<S>) {
    return solver.check(in, subject);
  } else {
    return solver.check(in);
  }
}

template <class S>
auto answer_to(const S& solver, const typename S::Inputs& in, const solve::Subject& subject) {
  if constexpr (std::is_invocable_v<decltype(S::solve), const typename S::Inputs&>) {
    return solver.solve(in);
  } else {
    return solver.solve(in, subject);
  }
}

// The summary of an answer.
template <class Answer>
auto summary_of(Answer answer) {
  if constexpr (requires { answer.output; }) {
    return std::move(answer.output);
  } else {
    return answer;
  }
}

// A machine that stands for its device, and totals that stand for a model, are drawn where they
// are read.
void move_places(std::span<const Member> members, Uncertain& uncertain) {
  for (UncertainInput& input : uncertain.inputs) {
    const std::string& at = input.pointer;
    if (at == "/params") input.places = {"/model/parameters_count"};
    if (at == "/active_params") input.places = {"/model/active_parameters_count"};
    if (at.starts_with("/machine/") && !has_field(members, "machine")) {
      input.places = {"/hardware" + at.substr(at.find('/', 1))};
    }
  }
}

Result<bool> wants_levers(const Request& request) {
  const auto it = request.input.find("levers");
  if (it == request.input.end()) return false;
  auto wanted = toggle_of(*it);
  if (!wanted) return placed(request, inside_of("/levers", wanted.error()));
  return *wanted;
}

template <class S>
Status draw_solver(const S& solver, Uncertain& uncertain, const typename S::Inputs& in,
                   const solve::Subject& subject, Solved& out) {
  if (uncertain.inputs.empty()) return Ok{};
  constexpr double kSeconds = 5e-6;  // of one answer
  using Output = decltype(summary_of(answer_to(solver, in, subject)));
  const auto answer = [&](const typename S::Inputs& sample) -> std::optional<Output> {
    const auto checked = check_inputs(solver, sample, subject);
    if (!checked) return std::nullopt;
    return summary_of(answer_to(solver, *checked, subject));
  };
  RIDGELINE_TRY(out.uncertainty, draw_answers(uncertain, in, kSeconds, answer));
  return Ok{};
}

template <class Answer>
Json result_of(Answer answer) {
  Solved out;
  put_answer(std::move(answer), out);
  return std::move(out.result);
}

// Every turn is made on inputs of its own.
template <class S>
Json levers_of(const S& solver, const typename S::Inputs& in, const SubjectInput& about,
               const Json& before) {
  std::vector<Turned> out;
  for (std::size_t i = 0;; ++i) {
    typename S::Inputs turned = in;
    SubjectInput subject = about;
    std::vector<Turn> turns = turns_of(members_of(turned));
    if (subject.machine) {
      for (Turn& turn : turns_of(*subject.machine)) turns.push_back(std::move(turn));
    }
    if (i >= turns.size()) break;
    const Json value = turns[i].value();
    turns[i].raise();
    Turned one{turns[i].input, value, turns[i].value(), {}};
    const auto checked = check_inputs(solver, turned, subject.subject());
    if (checked) {
      one.answer = result_of(answer_to(solver, *checked, subject.subject()));
    } else {
      one.answer = checked.error().message;
    }
    out.push_back(std::move(one));
  }
  return levers_json(before, out);
}

template <class S>
Result<Solved> run_solver(const S& solver, const Request& given, const Context& context) {
  Names names(context);
  typename S::Inputs like;
  Request plain = given;
  RIDGELINE_TRY(Uncertain uncertain, take_uncertain(plain));
  move_places(members_of(like), uncertain);
  RIDGELINE_TRY(const Filled filled, with_facts(plain, members_of(like), context));
  RIDGELINE_TRY(const Request request, with_totals(filled.request));
  RIDGELINE_TRY(typename S::Inputs in, read_inputs(solver, request, names));
  const bool from_registry = fill_candidates(in, names, context);
  Json sources = filled.sources;
  RIDGELINE_CHECK(fill_measured(in, with_device(request, members_of(in)), names, sources));
  RIDGELINE_TRY(const SubjectInput input,
                kTakesSubject<S> ? subject_of(request, names) : Result(SubjectInput{}));
  const solve::Subject subject = input.subject();
  if (const Status set = set_central(uncertain, in); !set) return placed(request, set.error());
  const auto checked = check_inputs(solver, in, subject);
  if (!checked) return placed_check(request, members_of(like), checked.error());
  Solved out;
  put_answer(answer_to(solver, *checked, subject), out);
  RIDGELINE_TRY(const bool levers, wants_levers(given));
  if (levers) out.levers = levers_of(solver, in, input, out.result);
  if (const Status drawn = draw_solver(solver, uncertain, in, subject, out); !drawn) {
    return placed(request, drawn.error());
  }
  typename S::Inputs shown = *checked;
  const std::vector<Member> used = members_of(shown);
  out.inputs = inputs_json(plain, used);
  show_uncertain(uncertain, out.inputs);
  if (levers) out.inputs["levers"] = true;
  if (from_registry) out.inputs["candidates"] = "registry";
  out.in = terms_of(used);
  out.sources = std::move(sources);
  out.basis = basis_of_inputs(*checked);
  if (levers) out.result["levers"] = out.levers;
  if (!out.uncertainty.is_null()) out.result["uncertainty"] = out.uncertainty;
  if (out.result.contains("basis")) out.basis = out.result["basis"];  // it knows better
  drop_non_finite(out.result, out.notes);
  return out;
}

template <class S>
SolverEntry entry_of(const S& solver) {
  SolverEntry out;
  out.name = solver.name;
  out.card = solver.card;
  typename S::Inputs in;
  const std::vector<Member> members = members_of(in);
  out.fields.add(kSolverField);
  out.fields.add(members);
  for (const Field& field : fact_fields(members)) out.fields.add(field);
  add_shared<typename S::Inputs>(kTakesSubject<S>, members, out.fields);
  for (const Field& field : lever_fields()) out.fields.add(field);
  for (const Field& field : sampling_fields()) out.fields.add(field);
  add_outputs<S>(out.outputs);
  out.outputs.add({"levers",
                   FieldKind::texts,
                   "",
                   "what a tenth more of each input changes, where it is asked for",
                   {},
                   "levers"});
  out.outputs.add({"uncertainty",
                   FieldKind::object,
                   "",
                   "percentiles and drivers, where an input is a distribution",
                   {},
                   "uncertainty"});
  out.in = terms_of(members);
  out.run = [&solver](const Request& request, const Context& context) {
    return run_solver(solver, request, context);
  };
  return out;
}

}  // namespace

std::span<const SolverEntry> solver_entries() {
  static const std::vector<SolverEntry> kEntries = [] {
    std::vector<SolverEntry> out;
    solve::for_each_solver([&](const auto& solver) { out.push_back(entry_of(solver)); });
    return out;
  }();
  return kEntries;
}

}  // namespace ridgeline::app
