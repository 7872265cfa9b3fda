# SPDX-License-Identifier: BSD-3-Clause
# Sourced by ./run and ./test: installs the system packages that are missing and builds a release.

build_packages=(
  cmake g++ gfortran ninja-build pkg-config
  libeigen3-dev libfmt-dev libhwy-dev libopenblas-pthread-dev librandom123-dev libssl-dev nlohmann-json3-dev
  libarchive-dev libcli11-dev libcurl4-openssl-dev libjpeg-dev libpng-dev zlib1g-dev
)
test_packages=(
  dataset-fashion-mnist libgtest-dev libgmock-dev liblinear-dev python3-numpy python3-pytest python3-sklearn
  chromium chromium-driver python3-selenium tidy
)

say() { printf '== %s\n' "$*"; }

# install_packages NAME...: those that dpkg does not know as installed.
install_packages() {
  local missing=() name
  if ! command -v apt-get > /dev/null; then
    say "This system has no apt. Needed, by their Debian names: $*"
    return
  fi
  for name in "$@"; do
    dpkg-query -W -f='${db:Status-Status}' "$name" 2> /dev/null | grep -qx installed || missing+=("$name")
  done
  [ ${#missing[@]} -eq 0 ] && return
  say "Installing: ${missing[*]}"
  local sudo=()
  [ "$(id -u)" -eq 0 ] || sudo=(sudo)
  "${sudo[@]}" apt-get update -qq
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${missing[@]}" > /dev/null
}

build_release() {
  say "Building the release preset in build/release"
  cmake --preset release > build-configure.log 2>&1 || { cat build-configure.log; return 1; }
  rm -f build-configure.log
  cmake --build --preset release "$@"
}
