// The API without sockets: the same bytes as the command line, and refusals that name the place.
#include "server/api.h"

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "ridgeline/app/arguments.h"
#include "ridgeline/app/flow.h"
#include "ridgeline/app/spec_file.h"
#include "server/access.h"
#include "server/options.h"

namespace ridgeline::server {
namespace {

using app::Json;

constexpr char kSmallSearch[] =
    R"({"model": "llama-3.1-8b", "context": "8k", "depth": "two_stage"})";

Json parsed(const std::string& text) {
  const auto json = app::parse_json(text);
  return json ? *json : Json();
}

// What a shell prints with --json for the same input, as a spec.
std::string at_a_shell(const std::vector<std::string>& words, const Json& input) {
  std::vector<std::string> arguments = words;
  arguments.emplace_back("--json");
  app::Context context;
  context.catalog = &catalog::Catalog::embedded();
  std::string out;
  app::run_json(arguments, &input, context, [&out](std::string_view bytes) {
    out += bytes;
    return true;
  });
  return out;
}

// Timings differ from run to run.
std::string without_timings(const std::string& text) {
  Json json = parsed(text);
  if (json.contains("result") && json["result"].is_object()) {
    json["result"].erase("elapsed_s");
    json["result"].erase("evaluations_per_s");
  }
  return json.dump();
}

struct Same {
  std::vector<std::string> words;  // the command as typed
  const char* path;
  const char* input;
};

class SameBytes : public ::testing::TestWithParam<Same> {};

TEST_P(SameBytes, AsTheCommandLinePrints) {
  const Same& same = GetParam();
  Api api({});
  const Reply reply = api.post(same.path, same.input, {});
  EXPECT_EQ(reply.status, 200) << reply.body;
  const std::string printed = at_a_shell(same.words, parsed(same.input));
  EXPECT_EQ(without_timings(reply.body), without_timings(printed));
  if (std::string_view(same.path) != "explore") {
    EXPECT_EQ(reply.body, printed);
  }
}

INSTANTIATE_TEST_SUITE_P(
    Commands, SameBytes,
    ::testing::Values(
        Same{{"inspect"}, "inspect", R"({"model": "llama-3.1-8b", "plan": {"tp": 4}})"},
        Same{{"inspect"}, "inspect", R"({"model": "llama-3.1-70b", "context": "128k"})"},
        Same{{"explore"}, "explore", kSmallSearch},
        Same{{"fit"}, "fit", R"({"model": "llama-3.1-8b", "machine": "h100-sxm"})"},
        Same{
            {"solve", "kingman-queue"},
            "solve/kingman-queue",
            R"({"service": "1 s", "arrival_scv": 1, "service_scv": 1, "utilization_fraction": [0.5]})"},
        Same{{"explain", "kingman-queue"}, "explain/kingman-queue", "{}"},
        Same{{"list", "models"}, "list", R"({"kind": "models"})"},
        Same{{"show"}, "show", R"({"kind": "model", "name": "gpt2"})"},
        Same{{"schema", "inspect"}, "schema", R"({"command": "inspect"})"},
        Same{{"help"}, "help", "{}"}, Same{{"version"}, "version", "{}"}));

TEST(Api, KnowsEveryCommandButServe) {
  Api api({});
  for (const app::Command& command : app::commands()) {
    const Reply reply = api.post(command.name, "{\"no_such_field\": 1}", {});
    EXPECT_EQ(reply.status, std::string_view(command.name) == "serve" ? 404 : 400) << command.name;
  }
}

TEST(Api, AnswersWhatDoesNotFitWith200) {
  // 70 billion weights of 2 bytes on one PE of 6 GB.
  const Reply reply = Api({}).post("inspect", R"({"model": "llama-3.1-70b"})", {});
  EXPECT_EQ(reply.status, 200);
  EXPECT_EQ(parsed(reply.body)["result"]["fits_memory"], false);
}

struct Bad {
  const char* path = "";
  std::string body;
  int status;
  const char* where;
};

class Refused : public ::testing::TestWithParam<Bad> {};

TEST_P(Refused, WithThePlace) {
  const Bad& bad = GetParam();
  const Reply reply = Api({}).post(bad.path, bad.body, {});
  EXPECT_EQ(reply.status, bad.status);
  const Json error = parsed(reply.body)["error"];
  EXPECT_EQ(error["where"], bad.where) << reply.body;
  EXPECT_NE(error["message"], "");
}

INSTANTIATE_TEST_SUITE_P(
    Inputs, Refused,
    ::testing::Values(Bad{"inspect", R"({"model": "llama-3.1-8b", "plan": {"tp": -1}})", 400,
                          "/plan/tp"},
                      Bad{"inspect", R"({"model": "no-such"})", 400, "/model"},
                      Bad{"inspect", "{}", 400, "/model"}, Bad{"inspect", "{\"model\":", 400, ""},
                      Bad{"inspect", "[1]", 400, ""},
                      Bad{"inspect", std::string(100, '['), 400, ""},
                      Bad{"inspect", R"({"model": "/etc/passwd"})", 400, "/model"},
                      Bad{"import", R"({"file": "/etc/passwd"})", 400, "/file"},
                      Bad{"replay", R"({"files": ["/etc/passwd"]})", 400, "/files"},
                      Bad{"solve/kingman-queue", R"({"solver": "serving"})", 400, "/solver"},
                      Bad{"solve/no-such", "{}", 404, ""}, Bad{"no-such", "{}", 404, ""},
                      Bad{"inspect/x", "{}", 404, ""}, Bad{"serve", "{}", 404, ""},
                      Bad{"inspect", std::string(5'000'001, ' '), 413, ""}));

TEST(Api, GivesTheSchemaOfEveryCommandAndOfOne) {
  Api api({});
  EXPECT_TRUE(parsed(api.get("schema").body)["result"].contains("inspect"));
  EXPECT_TRUE(parsed(api.get("schema/inspect").body)["result"].contains("input"));
  EXPECT_TRUE(parsed(api.get("schema/solve/serving").body)["result"].contains("input"));
  EXPECT_EQ(api.get("schema/no-such").status, 404);
  EXPECT_EQ(api.get("inspect").status, 405);
  EXPECT_EQ(api.get("no-such").status, 404);
}

TEST(Api, StopsASearchWhenNobodyWaitsForIt) {
  const auto gone = [](double) { return false; };
  const Reply reply =
      Api({}).post("explore", R"({"model": "llama-3.1-8b", "depth": "coarse"})", gone);
  EXPECT_EQ(reply.status, 503);
}

TEST(Api, StopsAtItsTimeAndLength) {
  Limits limits;
  limits.time = std::chrono::milliseconds(-1);
  EXPECT_EQ(Api(limits).post("inspect", R"({"model": "llama-3.1-8b"})", {}).status, 503);
  limits = {};
  limits.answer_bytes = 100;
  EXPECT_EQ(Api(limits).post("inspect", R"({"model": "llama-3.1-8b"})", {}).status, 413);
}

TEST(Api, RefusesMoreSearchesThanMayWait) {
  Limits limits;
  limits.long_queue = 0;
  Api api(limits);
  std::atomic<bool> inside{false}, leave{false};
  std::thread first([&] {
    const auto hold = [&](double) {
      inside = true;
      inside.notify_all();
      leave.wait(false);
      return true;
    };
    EXPECT_EQ(api.post("explore", R"({"model": "llama-3.1-8b", "depth": "coarse"})", hold).status,
              200);
  });
  inside.wait(false);
  EXPECT_EQ(api.post("explore", kSmallSearch, {}).status, 503);
  EXPECT_EQ(api.post("version", "", {}).status, 200);  // others need not wait for a search
  leave = true;
  leave.notify_all();
  first.join();
  EXPECT_EQ(api.post("explore", kSmallSearch, {}).status, 200);
}

TEST(Access, AsksForTheTokenAndForOurOwnName) {
  const std::string token = "0123456789abcdef";
  EXPECT_FALSE(refusal({.host = "127.0.0.1:8080"}, ""));
  EXPECT_FALSE(refusal({.host = "[::1]:8080", .origin = "http://[::1]:8080"}, ""));
  EXPECT_EQ(refusal({.host = "evil.example"}, "")->status, 403);
  EXPECT_EQ(refusal({.host = "localhost:8080", .origin = "http://evil.example"}, "")->status, 403);
  EXPECT_EQ(refusal({.host = "box:8080"}, token)->status, 401);
  EXPECT_EQ(refusal({.host = "box", .authorization = "Bearer 0123456789abcdeX"}, token)->status,
            401);
  EXPECT_FALSE(refusal({.host = "box", .authorization = "Bearer " + token}, token));
  EXPECT_FALSE(refusal({.host = "box", .cookie = "a=b; ridgeline_token=" + token}, token));
  EXPECT_FALSE(refusal({.host = "box", .token = token}, token));
}

TEST(ServeOptions, WantATokenWhereOthersCanReach) {
  const auto read = [](std::vector<std::string> words) {
    words.insert(words.begin(), "serve");
    return read_options(words);
  };
  EXPECT_EQ(read({})->address, "127.0.0.1");
  EXPECT_EQ(read({"--port", "0", "--no-browser"})->port, 0);
  EXPECT_EQ(read({"--address", "0.0.0.0"}).error().where, "--token");
  EXPECT_EQ(read({"--address", "0.0.0.0", "--token", "short"}).error().where, "--token");
  EXPECT_TRUE(read({"--address", "0.0.0.0", "--token", "0123456789abcdef"}));
  EXPECT_EQ(read({"--port", "70000"}).error().where, "--port");
}

}  // namespace
}  // namespace ridgeline::server
