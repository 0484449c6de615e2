# Shared by ./ridgeline and ./test: install Debian packages that are missing, run steps with a log.
# Sourced with $root set to the checkout. POSIX sh.

engine_packages="g++ cmake ninja-build nlohmann-json3-dev libcli11-dev libfmt-dev libtbb-dev libhwy-dev libyaml-cpp-dev"

say() { printf 'ridgeline: %s\n' "$*" >&2; }

# step WHAT HOW COMMAND...: runs quietly; a failure says what failed, the log's end and how to go on.
step() {
  what=$1 how=$2
  shift 2
  mkdir -p "$root/build"
  log=$root/build/setup.log
  if "$@" >"$log" 2>&1; then return 0; fi
  say "$what failed. The end of $log:"
  tail -n 25 "$log" >&2
  say "$how"
  exit 1
}

missing_packages() {
  for package in "$@"; do
    dpkg-query -W -f '${db:Status-Status}\n' "$package" 2>/dev/null | grep -qx installed || printf '%s ' "$package"
  done
}

# need PACKAGE...: installs what is missing, as root or with sudo.
need() {
  if ! command -v apt-get >/dev/null 2>&1; then
    say "this is no Debian system; if the build fails, install what these packages hold: $*"
    return 0
  fi
  lacking=$(missing_packages "$@")
  [ -n "$lacking" ] || return 0
  as_root=
  if [ "$(id -u)" != 0 ]; then
    command -v sudo >/dev/null 2>&1 || {
      say "these packages are missing and you are not root: $lacking"
      say "install them, or run this again as root or where there is sudo"
      exit 1
    }
    as_root=sudo
  fi
  say "installing: $lacking"
  step "reading the package lists" "check the network and /etc/apt/sources.list, then run this again" \
    $as_root apt-get update
  # shellcheck disable=SC2086
  step "installing packages" "install them by hand ($lacking), then run this again" \
    $as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $lacking
}

jobs() { nproc 2>/dev/null || echo 2; }

# build PRESET: configures when needed and builds.
build() {
  say "building ($1) ..."
  if [ ! -f "$root/build/$1/build.ninja" ]; then
    step "configuring" "mend what is named above, then run this again" \
      cmake -S "$root" --preset "$1"
  fi
  step "building" "mend what is named above, then run this again; 'rm -rf $root/build/$1' starts afresh" \
    cmake --build "$root/build/$1" -j "$(jobs)"
}
