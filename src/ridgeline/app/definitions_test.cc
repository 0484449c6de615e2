// The work of each stage in symbols, worked out as a reader would, gives the numbers beside it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>

#include "ridgeline/app/testing.h"

namespace ridgeline::app {
namespace {

using testing::run_line;
using Symbols = std::map<std::string, double>;

// sum = product {("+" | "-") product}; product = atom {["/"] atom}; atom = "(" sum ")" | number |
// symbol. Factors stand side by side.
class Reader {
 public:
  Reader(const std::string& text, const Symbols& symbols) : text_(text), symbols_(symbols) {}

  double value() {
    const double out = sum();
    EXPECT_EQ(at_, text_.size()) << text_;
    return out;
  }

 private:
  void skip() { at_ = std::min(text_.find_first_not_of(' ', at_), text_.size()); }
  bool take(char c) {
    skip();
    const bool there = at_ < text_.size() && text_[at_] == c;
    at_ += there ? 1 : 0;
    return there;
  }
  bool at_atom() {
    skip();
    return at_ < text_.size() && (text_[at_] == '(' || std::isalnum(text_[at_]));
  }
  double sum() {
    double out = product();
    for (;;) {
      if (take('+')) {
        out += product();
      } else if (take('-')) {
        out -= product();
      } else {
        return out;
      }
    }
  }
  double product() {
    double out = atom();
    for (;;) {
      if (take('/')) {
        out /= atom();
      } else if (at_atom()) {
        out *= atom();
      } else {
        return out;
      }
    }
  }
  double atom() {
    if (take('(')) {
      const double out = sum();
      EXPECT_TRUE(take(')')) << text_;
      return out;
    }
    skip();
    const std::size_t end = std::min(text_.find_first_of(" ()+/-", at_), text_.size());
    const std::string token = text_.substr(at_, end - at_);
    at_ = end;
    if (!token.empty() && std::isdigit(token[0])) return std::stod(token);
    const auto found = symbols_.find(token);
    EXPECT_TRUE(found != symbols_.end()) << token << " in " << text_;
    return found == symbols_.end() ? std::nan("") : found->second;
  }

  const std::string& text_;
  const Symbols& symbols_;
  std::size_t at_ = 0;
};

struct Run {
  const char* line;
  Symbols model;  // of its config.json: what layers of another kind than the first have
};

double of(const Symbols& s, const char* name) {
  const auto found = s.find(name);
  return found == s.end() ? 0 : found->second;
}

// docs/chiplet-model.md section 5, by its letter.
void add_attention(const Json& layer, bool decode, bool split, Symbols& s) {
  const bool latent = of(s, "c") > 0;
  const double tp = s["TP"], cp = s["CP"], S = s["S"], W = of(s, "W"), hq = s["h_q"];
  const double window = layer["windowed"].get<bool>() ? W : 0;
  const double seen = window > 0 ? std::min(S, window) : S;
  s["R"] = layer["ring_blocks"].get<double>();
  s["chunk"] = (decode ? seen : S) / cp;
  const double pairs = seen * (seen + 1) / 2 + (S - seen) * seen;
  s["Pi"] = decode ? s["b"] * s["chunk"] * s["R"] : s["b"] * pairs / cp;
  if (latent) {
    s["q'"] = hq * (s["d_nope"] + s["r"]) / tp;
    s["o'"] = hq * s["d_v"] / tp;
    s["rho"] = (hq / tp + 1) * s["r"];
    s["cache"] = (s["c"] + s["r"]) * (split ? 1 : tp) / tp;
    s["h_s"] = decode && split ? hq : hq / tp;
  } else {
    s["q'"] = s["q"];
    s["o'"] = s["o"];
    s["rho"] = s["q"] + s["k"];
    s["cache"] = s["k"] + s["v"];
    s["h_s"] = hq / std::min(tp, split ? s["h_kv"] : hq);
  }
  s["Y"] = s["Pi"] * s["h_s"];
  s["oml"] = s["tok"] * (s["o"] + 2 * s["h_s"]) * 4;  // b_c: accumulators of 4 bytes
}

void add_ffn(const Json& layer, Symbols& s) {
  const double t = s["t_f"], G = s["G"];
  if (!layer["moe"].get<bool>()) {
    s["x"] = t;
    s["y"] = t * s["f"] / G;
    s["omega"] = s["f"] / G;
    return;
  }
  const double E = s["E"], k = s["top_k"], ep = s["EP"];  // e = 1: EP is not taken from CP here
  const double touched = 1 - std::pow(1 - k / E, t * ep);
  s["x"] = t * k + (of(s, "f_s") > 0 ? t : 0);
  s["y"] = t * k * s["f_m"] / G + t * of(s, "f_s") / G;
  s["omega"] = E / ep * touched * s["f_m"] / G + of(s, "f_s") / G;
}

void expect_work(const Json& stage, const Symbols& symbols) {
  const std::pair<const char*, const char*> kTerms[] = {
      {"m", "matrix_flop"}, {"v", "vector_flop"}, {"bytes", "hbm_bytes"}};
  for (const auto& [term, key] : kTerms) {
    const double work = stage[key].get<double>();
    if (!stage["definitions"].contains(term)) {
      EXPECT_EQ(work, 0) << stage["name"] << " " << key;
      continue;
    }
    const auto text = stage["definitions"][term].get<std::string>();
    EXPECT_NEAR(Reader(text, symbols).value(), work, 1e-9 * work) << stage["name"] << ": " << text;
  }
}

class Definitions : public ::testing::TestWithParam<Run> {};

TEST_P(Definitions, GiveTheWorkOfTheirStage) {
  const Json json = run_line(GetParam().line).json;
  const Json& result = json["result"];
  Symbols symbols = GetParam().model;
  for (const Json& row : result["symbols"]) {
    if (row["value"].is_number()) symbols[row["symbol"]] = row["value"].get<double>();
  }
  const bool decode = json["inputs"]["phase"] == "decode";
  const bool split = json["inputs"]["plan"]["kv_shard_mode"] == "split";
  ASSERT_FALSE(result["layers"].empty());
  for (const Json& layer : result["layers"]) {
    Symbols here = symbols;
    add_attention(layer, decode, split, here);
    add_ffn(layer, here);
    for (const Json& stage : layer["stages"]) expect_work(stage, here);
  }
  for (const Json& edge : result["edges"]) expect_work(edge, symbols);
}

// deepseek-v3: 256 experts of 2,048, 8 per token, one shared of 2,048, after the first three
// layers.
const Symbols kDeepseek = {{"E", 256}, {"top_k", 8}, {"f_m", 2048}, {"f_s", 2048}};

INSTANTIATE_TEST_SUITE_P(
    Plans, Definitions,
    ::testing::Values(
        Run{"inspect --model llama-3.1-70b --context 128k --cp 16 --tp 32", {}},
        Run{"inspect --model llama-3.1-70b --phase prefill --context 8k --cp 8 --tp 8 --batch 3",
            {}},
        Run{"inspect --model llama-3.1-8b --context 8k --cp 4 --tp 16 --kv-shard-mode replicate",
            {}},
        Run{"inspect --model gemma-2-27b --phase prefill --context 16k --cp 4 --tp 4", {}},
        Run{"inspect --model mixtral-8x7b --context 8k --tp 4 --dp 4 --ep 4 --batch 8", {}},
        Run{"inspect --model deepseek-v3 --context 64k --cp 8 --tp 8 --pp 2 --dp 4 --batch 32",
            kDeepseek},
        Run{"inspect --model deepseek-v3 --phase prefill --context 4k --tp 8 --dp 2 --batch 2",
            kDeepseek},
        Run{"inspect --model llama-3.1-70b --machine dgx-h100 --tp 8", {}}));

// What all TP ranks add up is the message that the definition names, so twice the sequences send
// twice the bytes over every link.
TEST(Definitions, OfSumsOverTpNameWhatIsSent) {
  const Json one =
      run_line("inspect --model llama-3.1-70b --machine dgx-h100 --tp 8 --batch 64").json["result"];
  const Json two = run_line("inspect --model llama-3.1-70b --machine dgx-h100 --tp 8 --batch 128")
                       .json["result"];
  for (const std::size_t s : {8U, 14U}) {  // S9, F5
    const Json &a = one["layers"][0]["stages"][s], &b = two["layers"][0]["stages"][s];
    // A tree passes the message up and down: 64 tokens x 8,192 elements x 2 bytes, twice.
    EXPECT_DOUBLE_EQ(a["link_bytes"][0].get<double>(), 2 * 64 * 8192 * 2) << a["name"];
    EXPECT_DOUBLE_EQ(b["link_bytes"][0].get<double>(), 2 * a["link_bytes"][0].get<double>());
  }
}

}  // namespace
}  // namespace ridgeline::app
