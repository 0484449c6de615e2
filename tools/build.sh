# Functions that ./ridgeline and ./test share; sourced with $root set. POSIX sh.

# What the engine needs on Debian 12; ./test adds to it.
engine_packages="g++ cmake ninja-build pkg-config nlohmann-json3-dev libfmt-dev \
libhwy-dev libyaml-cpp-dev"

# What `serve` needs besides.
server_packages="libcpp-httplib-dev libssl-dev zlib1g-dev libbrotli-dev"

say() {
  printf '%s\n' "ridgeline: $*" >&2
}

# stop STEP LOG ADVICE: says what failed, shows the end of the log, says how to go on.
stop() {
  say "$1 failed"
  if [ -s "$2" ]; then
    printf '%s\n' "--- the end of $2:" >&2
    tail -n 30 "$2" >&2
    printf '%s\n' "---" >&2
  fi
  say "$3"
  exit 1
}

missing_packages() {
  for package in "$@"; do
    state=$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$state" = installed ] || printf '%s ' "$package"
  done
}

# Installs the packages that are not there yet. Without apt, or without the right to use it, the build is
# tried all the same.
install_packages() {
  command -v apt-get >/dev/null && command -v dpkg-query >/dev/null || return 0
  missing=$(missing_packages "$@")
  [ -n "$missing" ] || return 0
  by=
  if [ "$(id -u)" != 0 ]; then
    if command -v sudo >/dev/null; then
      by=sudo
    else
      say "not root and no sudo; if the build fails, let an administrator run:"
      say "  apt-get install --no-install-recommends $missing"
      return 0
    fi
  fi
  say "installing $missing"
  install_log=$root/build/install.log
  advice="see that this machine reaches its Debian mirror, or install by hand: apt-get install \
--no-install-recommends $missing"
  $by apt-get update >"$install_log" 2>&1 || say "apt-get update failed; trying with the lists at hand"
  # shellcheck disable=SC2086
  $by env DEBIAN_FRONTEND=noninteractive apt-get install -y --no-install-recommends $missing \
    >>"$install_log" 2>&1 </dev/null || stop "installing packages" "$install_log" "$advice"
}

# Compilers at once: one per processor, and 700 MB of free memory for each.
job_count() {
  jobs=$(nproc 2>/dev/null || echo 1)
  if [ -r /proc/meminfo ]; then
    fit=$(awk '/^MemAvailable:/ { print int($2 / 700000) }' /proc/meminfo)
    [ -n "$fit" ] && [ "$fit" -lt "$jobs" ] && jobs=$fit
  fi
  [ "$jobs" -ge 1 ] || jobs=1
  printf '%s' "$jobs"
}

# Shows "[12/90]" of the build on one line of a terminal; everything goes to the log.
show_progress() {
  if [ -t 2 ]; then
    awk -v log_file="$1" '
      { print > log_file }
      match($0, /^\[[0-9]+\/[0-9]+\]/) {
        printf "\rridgeline: building %s ", substr($0, RSTART, RLENGTH) > "/dev/stderr"
        fflush("/dev/stderr")
      }
      END { printf "\r\033[K" > "/dev/stderr" }'
  else
    cat >"$1"
  fi
}

# Node and npm build the dashboard; a node of its own packaging brings its npm along.
web_packages() {
  command -v npm >/dev/null || printf 'nodejs npm'
}

# build_preset NAME PACKAGE...: configures where that was never done (with $configure_options, where
# they are not yet those of the build), then builds. One at a time per checkout.
configure_options=
build_preset() {
  preset=$1
  mkdir -p "$root/build"
  log=$root/build/$preset.log
  exec 9>"$root/build/.lock"
  if command -v flock >/dev/null && ! flock -n 9; then
    say "another build is running; waiting for it"
    flock 9
  fi
  shift
  install_packages "$@"
  directory=$root/build/$preset
  if [ ! -f "$directory/build.ninja" ] || [ -n "$configure_options" ]; then
    # shellcheck disable=SC2086
    (cd "$root" && cmake --preset "$preset" $configure_options) >"$log" 2>&1 </dev/null ||
      stop "configuring the build" "$log" "then run this again; rm -r $directory starts afresh"
  fi
  : >"$directory/.started"
  status=$directory/.status
  echo 1 >"$status"
  {
    if (cd "$root" && cmake --build --preset "$preset" -j "$(job_count)" 2>&1 </dev/null); then
      echo 0 >"$status"
    else
      echo 1 >"$status"
    fi
  } | show_progress "$log"
  [ "$(cat "$status")" = 0 ] ||
    stop "the build" "$log" "then run this again; rm -r $directory starts afresh"
  mv "$directory/.started" "$directory/.built"
  exec 9>&-
}
