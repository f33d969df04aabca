#!/bin/bash
# Runs `cuzk ARGUMENTS`, without arguments `cuzk serve`. The archive beside this file is unpacked at the first start,
# and again when a newer one lies there. `run.sh node ...` runs the node of the archive.
set -eu
here="$(cd "$(dirname "$(readlink -f "$0")")" && pwd)"
archive="$here/cuzk-gpu-host.tar.xz"
app="$here/app"
# Has the date of the archive that was unpacked, which a clock that is behind takes for the future.
mark="$app/.unpacked"
export PATH="$app/bin:$PATH:/usr/sbin:/sbin"
if [ ! -e "$mark" ] || [ "$archive" -nt "$mark" ]; then
  command -v xz > /dev/null || { echo "install xz first: apt-get install xz-utils" >&2; exit 1; }
  (
    # Of several starts at once the first unpacks, and the others find it done.
    flock 9
    if [ ! -e "$mark" ] || [ "$archive" -nt "$mark" ]; then
      rm -rf "$app" "$app.new"
      mkdir "$app.new"
      tar -xJf "$archive" -C "$app.new"
      touch -r "$archive" "$app.new/.unpacked"
      mv "$app.new" "$app"
    fi
  ) 9< "$archive"
fi
if compgen -G '/dev/nvidia[0-9]*' > /dev/null || compgen -G '/dev/dri/renderD*' > /dev/null; then
  if ! ldconfig -p | grep -q libvulkan.so.1; then
    # A GPU, and no loader to reach it: root installs the loaders, anybody else keeps them in a folder of their own.
    target="$app/loaders"
    if [ "$(id -u)" = 0 ]; then target=/; fi
    for package in "$app"/deb/*.deb; do dpkg -x "$package" "$target"; done
    if [ "$target" = / ]; then
      ldconfig
    else
      export LD_LIBRARY_PATH="$target/usr/lib/x86_64-linux-gnu${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"
    fi
  fi
fi
# Containers get NVIDIA's driver in a folder where the loader does not look.
driver=/usr/local/nvidia/share/vulkan/icd.d/nvidia_icd.json
if [ -z "${VK_DRIVER_FILES:-}" ] && [ -e "$driver" ] \
  && [ ! -e /usr/share/vulkan/icd.d/nvidia_icd.json ] && [ ! -e /etc/vulkan/icd.d/nvidia_icd.json ]; then
  export VK_DRIVER_FILES="$driver"
fi
export REDIS_SERVER_BIN="${REDIS_SERVER_BIN:-$app/redis/run}"
if [ "$#" = 0 ]; then set -- serve; fi
if [ "$1" = node ]; then
  shift
  exec "$app/bin/node" "$@"
fi
exec "$app/bin/node" "$app/packages/cli/bin/cuzk.mjs" "$@"
