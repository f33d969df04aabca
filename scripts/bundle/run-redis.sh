#!/bin/sh
# redis-server with the libraries beside it.
folder="$(dirname "$0")"
LD_LIBRARY_PATH="$folder/lib" exec "$folder/redis-server" "$@"
