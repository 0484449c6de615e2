// Transcripts: every *.test of a folder holds "$ ridgeline ..." lines, each followed by what it
// prints (standard output and error, and "(exit N)" where the status is not 0). UPDATE_GOLDEN=1
// rewrites them. Usage: transcripts PROGRAM FOLDER
#include <sys/wait.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <vector>

namespace {

namespace fs = std::filesystem;

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

// Puts `mask` for what stands between `before` and the next of `ends`, wherever that occurs.
std::string masked(std::string text, const std::string& before, const std::string& ends,
                   const std::string& mask = "*") {
  for (std::size_t at = text.find(before); at != std::string::npos; at = text.find(before, at)) {
    at += before.size();
    const std::size_t end = text.find_first_of(ends, at);
    if (end == std::string::npos) break;
    text.replace(at, end - at, mask);
  }
  return text;
}

// Times differ from run to run; everything else is the same bytes.
std::string without_times(const std::string& text) {
  std::string out = masked(text, "searched in ", "(\n", "* ");
  out = masked(out, "searched in * (", " \n");
  out = masked(out, "\"elapsed_s\": ", ",\n");
  return masked(out, "\"evaluations_per_s\": ", ",\n");
}

// What the command prints, run in `folder` with "ridgeline" being the program.
std::string output_of(const std::string& command, const std::string& program,
                      const std::string& folder) {
  const std::string shell = "cd " + quoted(folder) + " && ridgeline() { " + quoted(program) +
                            " \"$@\"; } && { " + command + "\n} 2>&1";
  FILE* pipe = popen(shell.c_str(), "r");
  if (pipe == nullptr) return "(cannot run a shell)\n";
  std::string out;
  std::array<char, 4096> buffer{};
  std::size_t n = 0;
  while ((n = std::fread(buffer.data(), 1, buffer.size(), pipe)) > 0) out.append(buffer.data(), n);
  const int status = pclose(pipe);
  const int code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  if (!out.empty() && out.back() != '\n') out += '\n';
  if (code != 0) out += "(exit " + std::to_string(code) + ")\n";
  return without_times(out);
}

// The transcript as it comes out now: comments and commands kept, outputs made anew.
std::string replayed(const std::string& text, const std::string& program,
                     const std::string& folder) {
  std::istringstream lines(text);
  std::string out, line;
  bool in_output = false;
  while (std::getline(lines, line)) {
    if (line.rfind("$ ", 0) == 0) {
      if (in_output) out += '\n';
      out += line + '\n' + output_of(line.substr(2), program, folder);
      in_output = true;
    } else if (line.rfind("# ", 0) == 0 || !in_output) {
      if (in_output) out += '\n';
      out += line + '\n';
      in_output = false;
    }
  }
  return out;
}

void show_difference(const std::string& wanted, const std::string& got) {
  std::istringstream a(wanted), b(got);
  std::string left, right;
  for (int line = 1; line < 1'000'000; ++line) {
    const bool more_left = static_cast<bool>(std::getline(a, left));
    const bool more_right = static_cast<bool>(std::getline(b, right));
    if (!more_left && !more_right) return;
    if (more_left == more_right && left == right) continue;
    std::printf("  line %d\n  - %s\n  + %s\n", line, more_left ? left.c_str() : "(end)",
                more_right ? right.c_str() : "(end)");
    return;
  }
}

bool check(const fs::path& path, const std::string& program, const std::string& folder) {
  std::ifstream in(path, std::ios::binary);
  const std::string wanted{std::istreambuf_iterator<char>(in), {}};
  const std::string got = replayed(wanted, program, folder);
  if (got == wanted) return true;
  if (std::getenv("UPDATE_GOLDEN") != nullptr) {
    std::ofstream(path, std::ios::binary) << got;
    std::printf("%s: rewritten\n", path.filename().c_str());
    return true;
  }
  std::printf("%s: differs (UPDATE_GOLDEN=1 rewrites it)\n", path.filename().c_str());
  show_difference(wanted, got);
  return false;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) {
    std::fputs("usage: transcripts PROGRAM FOLDER\n", stderr);
    return 2;
  }
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(argv[2])) {
    if (entry.path().extension() == ".test") files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  const std::string program = fs::absolute(argv[1]).string();
  int failed = 0;
  for (const fs::path& file : files) failed += check(file, program, argv[2]) ? 0 : 1;
  std::printf("%zu transcripts, %d differ\n", files.size(), failed);
  return failed == 0 && !files.empty() ? 0 : 1;
}
