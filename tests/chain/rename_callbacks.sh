#!/bin/sh
# rename_callbacks.sh COMPILER OBJCOPY ARCHIVE OBJECT
# Makes one object file of everything in the archive, in which the functions that -fsanitize=thread calls are named
# simt_... instead of __tsan_..., so that it can be linked with ThreadSanitizer and stay out of it.
set -eu
compiler=$1 objcopy=$2 archive=$3 object=$4

"$compiler" -r -nostdlib -Wl,--whole-archive "$archive" -o "$object.all"
nm "$object.all" | sed -n 's/.* \(__tsan_\([a-z0-9_]*\)\)$/\1 simt_\2/p' | sort -u >"$object.names"
[ -s "$object.names" ] || { echo "no callbacks in $archive" >&2; exit 1; }
"$objcopy" --redefine-syms="$object.names" "$object.all" "$object"
rm -f "$object.all" "$object.names"
