# SPDX-License-Identifier: BSD-3-Clause
# Sourced by ./run and ./test: installs the system packages that are missing and builds a release.

build_packages=(
  cmake g++ gfortran ninja-build pkg-config
  libeigen3-dev libfmt-dev libhwy-dev libopenblas-pthread-dev librandom123-dev libssl-dev nlohmann-json3-dev
  libarchive-dev libcli11-dev libcurl4-openssl-dev libjpeg-dev libpng-dev libtiff-dev libwebp-dev zlib1g-dev
  pybind11-dev python3-dev python3-numpy python3-sklearn
)
test_packages=(
  chromium chromium-driver python3-selenium tidy
  dataset-fashion-mnist libbenchmark-dev libgtest-dev libgmock-dev liblinear-dev libopenmpi-dev libvlfeat-dev openmpi-bin
  mypy python3-matplotlib python3-pandas python3-pip python3-pytest python3-setuptools python3-threadpoolctl python3-wheel
)
benchmark_packages=(
  dataset-fashion-mnist libbenchmark-dev liblinear-dev libvlfeat-dev
  python3-faiss python3-threadpoolctl python3-torch
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
  update_lists "${sudo[@]}"
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=600 install -y -qq --no-install-recommends \
    "${missing[@]}" > /dev/null
}

# update_lists [sudo]: waits while another program has the lists, such as an upgrade in the background; apt-get itself does not.
update_lists() {
  local said attempt
  for attempt in {1..40}; do
    said=$(LC_ALL=C "$@" apt-get update -qq 2>&1) && return
    [[ $said == *"Could not get lock"* ]] || break
    [ "$attempt" -gt 1 ] || say "Waiting for another package manager"
    sleep 15
  done
  printf '%s\n' "$said" >&2
  return 1
}

# build_release [-DNAME=VALUE...] [--target NAME...]: without the tests, which need packages of their own, unless they are asked for
# or were before.
build_release() {
  local definitions=()
  [ -f build/release/CMakeCache.txt ] || definitions=(-DKRICA_BUILD_TESTS=OFF)
  while [[ "${1:-}" == -D* ]]; do
    definitions+=("$1")
    shift
  done
  say "Building the release preset in build/release"
  cmake --preset release "${definitions[@]}" > build-configure.log 2>&1 || { cat build-configure.log; return 1; }
  rm -f build-configure.log
  cmake --build --preset release "$@"
}
