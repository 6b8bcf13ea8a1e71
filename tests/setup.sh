# Sourced by tests/run, tests/cluster/run, examples/run, .ci/run and .ci/builds: installs what a build needs, builds, and counts what passes.
# Sets MTF_TOP (the checkout), MTF (the built command) and the environment in which mpirun works anywhere.

MTF_TOP=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
MTF_BUILD=$MTF_TOP/build
MTF=$MTF_BUILD/mtf

# The one list of Debian packages.
MTF_PACKAGES=(g++ cmake ninja-build ccache pkg-config
  libeigen3-dev libopenmpi-dev openmpi-bin libantlr4-runtime-dev
  libfmt-dev libcli11-dev nlohmann-json3-dev libxxhash-dev libutf8proc-dev libjemalloc-dev zlib1g-dev libgtest-dev
  libbenchmark-dev python3 python3-numpy clang-format)

# More ranks than cores, and ranks of root, are what tests want and what mpirun refuses unless told.
export OMPI_MCA_rmaps_base_oversubscribe=1 OMPI_MCA_mpi_yield_when_idle=1
# Ranks of one machine need no search for networks when they begin.
export OMPI_MCA_pml=ob1 OMPI_MCA_btl=self,vader
if [ "$(id -u)" = 0 ]; then
  export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
fi

# install_packages NAME...: installs those that are missing, saying so. Says nothing if all are there.
install_packages() {
  local missing=() package as_root=()
  for package in "$@"; do
    [ "$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null)" = installed ] || missing+=("$package")
  done
  [ ${#missing[@]} -gt 0 ] || return 0
  if ! command -v apt-get >/dev/null; then
    echo "These packages are needed, and there is no apt-get to install them: ${missing[*]}" >&2
    return 1
  fi
  if [ "$(id -u)" != 0 ]; then
    if ! command -v sudo >/dev/null; then
      echo "Please install, as root: apt-get install ${missing[*]}" >&2
      return 1
    fi
    as_root=(sudo)
  fi
  as_root+=(env DEBIAN_FRONTEND=noninteractive)
  echo "Installing what is missing: ${missing[*]}" >&2
  "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null 2>&1 </dev/null && return 0
  "${as_root[@]}" apt-get update -qq >&2 </dev/null &&
    "${as_root[@]}" apt-get install -y -qq --no-install-recommends "${missing[@]}" >/dev/null </dev/null
}

# show_progress: passes ninja's output on to the log that is its argument, and says how far it is, at once: in one line at
# a terminal, otherwise each tenth of the way. (An awk may wait for more input before it says anything.)
show_progress() {
  local log=$1 terminal= line percent tenths=0 shown=
  [ -t 2 ] && terminal=1
  while IFS= read -r line; do
    printf '%s\n' "$line" >>"$log"
    [[ $line =~ ^\[([0-9]+)/([0-9]+)\] ]] && [ "${BASH_REMATCH[2]}" -ge 10 ] || continue
    percent=$((100 * BASH_REMATCH[1] / BASH_REMATCH[2]))
    if [ -n "$terminal" ]; then
      printf '\r  %d of %d steps, %d%% ' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" $percent >&2
    elif [ $((percent / 10)) -gt $tenths ]; then
      printf '  %d of %d steps, %d%%\n' "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" $percent >&2
    fi
    tenths=$((percent / 10)) shown=1
  done
  [ -z "$shown" ] || [ -z "$terminal" ] || printf '\r\033[K' >&2
}

# configure OPTION...: makes build/ with these options and those in $MTF_CMAKE_OPTIONS, which cmake keeps.
configure() {
  local log=$MTF_BUILD/build.log
  mkdir -p "$MTF_BUILD"
  echo "Configuring build/ ..." >&2
  cmake -S "$MTF_TOP" -B "$MTF_BUILD" -G Ninja "$@" ${MTF_CMAKE_OPTIONS-} >"$log" 2>&1 </dev/null || { cat "$log" >&2; return 1; }
}

# kept_option NAME: the value that cmake keeps of an option of build/; nothing if there is none.
kept_option() { sed -n "s/^$1:[A-Z]*=//p" "$MTF_BUILD/CMakeCache.txt" 2>/dev/null; }

# build TARGET...: configures (once) and builds these targets, or all, and shows how far it is; prints the compiler's
# words only if it fails.
build() {
  local log=$MTF_BUILD/build.log
  [ -f "$MTF_BUILD/build.ninja" ] || configure -DCMAKE_BUILD_TYPE=Release || return 1
  [ -x "$MTF" ] || echo "Building (some minutes the first time) ..." >&2
  : >"$log"
  NINJA_STATUS='[%f/%t] ' ninja -C "$MTF_BUILD" "$@" 2>&1 </dev/null | show_progress "$log"
  [ "${PIPESTATUS[0]}" = 0 ] || { grep -v '^\[[0-9/]*\] ' "$log" >&2; return 1; }
}

# check WHAT COMMAND...: one test: the command succeeds. Counts it in $passed or $failed, and says how long it took; what
# it printed last, which is kept in the folder $work, is shown if it does not.
check() {
  local what=$1 begun=$SECONDS
  shift
  if "$@" >"$work/out" 2>&1; then
    echo "passed: $what, in $((SECONDS - begun)) s"
    passed=$((passed + 1))
  else
    echo "FAILED: $what"
    tail -n 40 "$work/out"
    failed=$((failed + 1))
  fi
}
