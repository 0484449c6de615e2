// validate: the tables of measurements that are asked for, predicted and compared.
#include "ridgeline/validate/validate.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <optional>

#include "ridgeline/app/command.h"
#include "ridgeline/app/csv_file.h"
#include "ridgeline/app/files.h"
#include "ridgeline/app/input.h"
#include "ridgeline/app/json_view.h"
#include "ridgeline/app/names.h"
#include "ridgeline/base/text.h"
#include "ridgeline/catalog/measured.h"
#include "ridgeline/catalog/read_kernels.h"
#include "ridgeline/catalog/show.h"

namespace ridgeline::app {
namespace {

using validate::Findings;
using validate::Score;

// A class in which more than this share of rows is not answered says so.
constexpr double kMostSkipped = 0.1;

// ---- what rows name ----

// "llama31405b" of "Llama-3.1-405B".
std::string bare(std::string_view name) {
  std::string out = lower(name);
  std::erase_if(out, [](char c) { return std::isalnum(static_cast<unsigned char>(c)) == 0; });
  return out;
}

// Registry names by their letters and digits alone.
class LooseNames {
 public:
  LooseNames(const catalog::Catalog& catalog, catalog::EntryKind kind) {
    for (const catalog::Entry* entry : catalog.entries(kind)) {
      by_letters_.emplace(bare(entry->name), entry);
      for (const std::string& alias : entry->aliases) by_letters_.emplace(bare(alias), entry);
    }
  }
  const catalog::Entry* find(std::string_view name) const {
    const auto it = by_letters_.find(bare(name));
    return it == by_letters_.end() ? nullptr : it->second;
  }

 private:
  std::map<std::string, const catalog::Entry*> by_letters_;
};

Error unknown(const char* what, std::string_view name) {
  return {ErrorCode::unknown_name, "", fmt::format("the registry has no {} \"{}\"", what, name),
          ""};
}

// The registry's alias with the fewest letters, capitals kept: "H100".
std::string short_name_of(const catalog::Entry& entry) {
  std::string out = entry.name;
  for (const std::string& alias : entry.aliases) {
    if (alias.size() < out.size()) out = alias;
  }
  return out;
}

// The parts of an entry of failures.
std::vector<solve::reliability::Part> parts_of(const Json& shown) {
  std::vector<solve::reliability::Part> out;
  for (const Json& part : shown.value("parts", Json::array())) {
    out.push_back({part.value("name", ""), part.value("count_per_node", 1.0),
                   part.value("mttf_hours", 0.0) * hour});
  }
  return out;
}

// The number of that year, else the entry's own.
std::optional<double> number_of_year(const Json& shown, const std::string& key,
                                     std::optional<std::int64_t> year) {
  for (const Json& past : shown.value("history", Json::array())) {
    if (year && past.value("year", std::int64_t{0}) == *year && past.contains(key)) {
      return past[key].get<double>();
    }
  }
  const auto it = shown.find(key);
  if (it == shown.end() || !it->is_number()) return std::nullopt;
  return it->get<double>();
}

// Looks up each name once: tables name the same few again and again.
class Lookup {
 public:
  explicit Lookup(const Context& context)
      : context_(context),
        models_(*context.catalog, catalog::EntryKind::model),
        devices_(*context.catalog, catalog::EntryKind::accelerator) {}

  Result<Model> model(std::string_view name) {
    const catalog::Entry* entry = models_.find(name);
    if (entry == nullptr) return unknown("model", name);
    auto it = read_models_.find(entry->name);
    if (it == read_models_.end()) {
      it = read_models_.emplace(entry->name, context_.catalog->model(entry->name)).first;
    }
    return it->second;
  }

  Result<Cluster> cluster(std::string_view device, std::int64_t count) {
    const catalog::Entry* entry = devices_.find(device);
    if (entry == nullptr) return unknown("accelerator", device);
    const auto key = std::pair(entry->name, count);
    auto it = clusters_.find(key);
    if (it == clusters_.end()) {
      Names names(context_);
      if (count > 1) names.set_devices(count);
      it = clusters_.emplace(key, names.cluster(Json(entry->name))).first;
    }
    return it->second;
  }

  // What `show` says of an entry; null where there is none.
  Json shown(catalog::EntryKind kind, std::string_view name) {
    auto names = by_kind_.find(kind);
    if (names == by_kind_.end()) {
      names = by_kind_.emplace(kind, LooseNames(*context_.catalog, kind)).first;
    }
    const catalog::Entry* entry = names->second.find(name);
    if (entry == nullptr) return nullptr;
    Json notes = Json::array();
    auto out = catalog::show_entry(*entry, *context_.catalog, notes);
    return out ? *out : Json(nullptr);
  }

  std::optional<double> fact(std::string_view kind, std::string_view name, std::string_view key,
                             std::optional<std::int64_t> year) {
    const auto kinds = names_of(catalog::EntryKind{});
    for (std::size_t k = 0; k < kinds.size(); ++k) {
      if (kind != kinds[k]) continue;
      const Json entry = shown(static_cast<catalog::EntryKind>(k), name);
      return entry.is_null() ? std::nullopt : number_of_year(entry, std::string(key), year);
    }
    return std::nullopt;
  }

  const Kernels* kernels(std::string_view device) {
    const catalog::Entry* entry = devices_.find(device);
    if (entry == nullptr) return nullptr;
    auto it = kernels_.find(entry->name);
    if (it == kernels_.end()) {
      auto read = catalog::kernels_of(*context_.catalog, entry->name);
      it = kernels_.emplace(entry->name, read ? std::move(*read) : std::nullopt).first;
    }
    return it->second ? &*it->second : nullptr;
  }

  std::string short_name(std::string_view device) const {
    const catalog::Entry* entry = devices_.find(device);
    return entry == nullptr ? std::string(device) : short_name_of(*entry);
  }

  validate::Registry registry() {
    return {
        .model = [this](std::string_view name) { return model(name); },
        .cluster = [this](std::string_view device,
                          std::int64_t count) { return cluster(device, count); },
        .kernels = [this](std::string_view device) { return kernels(device); },
        .fact = [this](std::string_view kind, std::string_view name, std::string_view key,
                       std::optional<std::int64_t> year) { return fact(kind, name, key, year); },
        .parts =
            [this](std::string_view name) {
              const Json entry = shown(catalog::EntryKind::failure, name);
              return entry.is_null() ? std::vector<solve::reliability::Part>{} : parts_of(entry);
            },
        .short_name = [this](std::string_view device) { return short_name(device); }};
  }

 private:
  const Context& context_;
  LooseNames models_, devices_;
  std::map<catalog::EntryKind, LooseNames> by_kind_;
  std::map<std::string, Result<Model>> read_models_;
  std::map<std::pair<std::string, std::int64_t>, Result<Cluster>> clusters_;
  std::map<std::string, std::optional<Kernels>> kernels_;
};

// ---- tables ----

Result<std::vector<validate::Table>> given_tables(const std::vector<std::string>& files,
                                                  const Context& context, const Origins& origins) {
  std::vector<validate::Table> out;
  for (const std::string& name : files) {
    // Programs send a table itself in place of its name.
    const bool inline_text = name.find('\n') != std::string::npos;
    std::string text = name, label = "the table";
    if (!inline_text) {
      auto file = read_file(name, context);
      if (!file) return origins.placed(file.error(), "/files");
      text = std::move(file->text);
      label = name;
    }
    auto table = parse_csv(text, label);
    if (!table) {
      Error error = table.error();
      error.where = inline_text ? origins.where("/files") : name;
      return error;
    }
    out.push_back(std::move(*table));
  }
  return out;
}

Result<std::vector<validate::Table>> shipped_tables() {
  std::vector<validate::Table> out;
  for (const catalog::MeasuredFile& file : catalog::measured_files()) {
    RIDGELINE_TRY(validate::Table table, parse_csv(file.text, std::string(file.name)));
    out.push_back(std::move(table));
  }
  return out;
}

// ---- the answer ----

const char* basis_name(physics::Basis basis) {
  return names_of(basis)[static_cast<std::size_t>(basis)];
}

Json share_or_null(const Score& score, double value) {
  return score.rows > 0 && value >= -1 ? Json(value) : Json(nullptr);
}

Json score_json(const Score& s) {
  return {{"class", s.row_class},
          {"quantity", s.quantity},
          {"rows", s.rows},
          {"skipped", s.skipped},
          {"median_abs_error_fraction", share_or_null(s, s.median_abs_error)},
          {"mean_abs_error_fraction", share_or_null(s, s.mean_abs_error)},
          {"p90_abs_error_fraction", share_or_null(s, s.p90_abs_error)},
          {"bias_fraction", share_or_null(s, s.bias)},
          {"interval_coverage_fraction",
           s.interval_coverage < 0 ? Json(nullptr) : Json(s.interval_coverage)}};
}

Json rows_json(const Findings& findings) {
  Json out = Json::array();
  for (const validate::Prediction& p : findings.predictions) {
    out.push_back({{"id", p.id},
                   {"class", p.classes.front()},
                   {"quantity", p.quantity},
                   {"measured", p.measured},
                   {"predicted", p.predicted},
                   {"error_fraction", p.error()},
                   {"basis", basis_name(p.basis)}});
  }
  return out;
}

Json skipped_json(const Findings& findings) {
  Json out = Json::array();
  for (const validate::Skipped& s : findings.skipped) {
    out.push_back({{"id", s.id},
                   {"class", s.classes.front()},
                   {"quantity", s.quantity},
                   {"reason", s.reason}});
  }
  return out;
}

Json notes_of(const std::vector<Score>& scores) {
  Json out = Json::array();
  for (const Score& s : scores) {
    if (s.skipped_share() <= kMostSkipped) continue;
    out.push_back({{"code", "rows_skipped"},
                   {"message", fmt::format("{} {}: {} of {} rows are not answered", s.row_class,
                                           s.quantity, s.skipped, s.rows + s.skipped)}});
  }
  return out;
}

std::string percent(double share) {
  return fmt::format("{:.1f} %", 100 * share);
}

report::Table table_of_scores(const std::vector<Score>& scores) {
  report::Table out;
  out.columns = {{"class"}, {"quantity"}};
  for (const char* title : {"rows", "skipped", "median", "mean", "p90", "bias", "in interval"}) {
    out.columns.push_back({title, report::Align::right});
  }
  for (const Score& s : scores) {
    const auto shown = [&](double share) { return s.rows > 0 ? percent(share) : "-"; };
    out.rows.push_back({s.row_class, s.quantity, fmt::format("{}", s.rows),
                        fmt::format("{}", s.skipped), shown(s.median_abs_error),
                        shown(s.mean_abs_error), shown(s.p90_abs_error),
                        s.rows > 0 ? fmt::format("{:+.1f} %", 100 * s.bias) : "-",
                        s.interval_coverage < 0 ? "-" : percent(s.interval_coverage)});
  }
  return out;
}

// Reasons and how often each stands, most frequent first.
report::Table table_of_reasons(const Findings& findings) {
  std::map<std::string, std::int64_t> counts;
  for (const validate::Skipped& s : findings.skipped) ++counts[s.reason];
  std::vector<std::pair<std::string, std::int64_t>> sorted(counts.begin(), counts.end());
  std::stable_sort(sorted.begin(), sorted.end(),
                   [](const auto& a, const auto& b) { return a.second > b.second; });
  report::Table out;
  out.columns = {{"rows", report::Align::right}, {"not answered because"}};
  for (const auto& [reason, count] : sorted) {
    out.rows.push_back({fmt::format("{}", count), reason});
  }
  return out;
}

std::vector<report::Section> sections_of_findings(const Findings& findings,
                                                  const std::vector<Score>& scores,
                                                  const Json& notes) {
  std::vector<report::Section> out;
  out.emplace_back(table_of_scores(scores));
  out.emplace_back(report::Line{"errors are |predicted - measured| / measured; bias keeps the sign",
                                report::Tone::dim});
  if (!findings.skipped.empty()) out.emplace_back(table_of_reasons(findings));
  for (const Json& note : notes) {
    out.emplace_back(report::Line{note["message"].get<std::string>(), report::Tone::warn});
  }
  return out;
}

Json basis_of_findings(const Findings& findings) {
  Json sources = Json::array();
  std::string level = "datasheet";
  for (const validate::Prediction& p : findings.predictions) {
    if (p.basis == physics::Basis::estimate) level = "estimate";
  }
  return {{"level", level},
          {"why", Json::array({"each row carries its own basis"})},
          {"sources", std::move(sources)},
          {"interval", nullptr}};
}

}  // namespace

Result<report::Document> answer_validate(const Request& request, const Context& context) {
  RIDGELINE_TRY(const Command* command, find_command("validate"));
  const InputReader reader(request.input, request.origins, *command);
  RIDGELINE_TRY(const std::vector<std::string> files, reader.texts("files"));
  RIDGELINE_TRY(const std::vector<validate::Table> tables,
                files.empty() ? shipped_tables() : given_tables(files, context, request.origins));
  Lookup lookup(context);
  const validate::Registry registry = lookup.registry();
  Findings findings;
  for (const validate::Table& table : tables) {
    const Status added = validate::add_table(table, registry, findings);
    if (added) continue;
    Error error = added.error();
    error.where = request.origins.where("/files");
    return error;
  }
  const std::vector<Score> scores = validate::scores_of(findings);
  Json classes = Json::array();
  for (const Score& score : scores) classes.push_back(score_json(score));
  const Json rows = rows_json(findings), notes = notes_of(scores);
  report::Document out;
  out.sections = sections_of_findings(findings, scores, notes);
  out.csv = rows_of(rows);
  out.tree = envelope(
      "validate", {{"files", files}},
      {{"classes", std::move(classes)}, {"rows", rows}, {"skipped", skipped_json(findings)}},
      basis_of_findings(findings), notes);
  return out;
}

}  // namespace ridgeline::app
