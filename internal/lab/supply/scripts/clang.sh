#!/bin/sh
# Cilium 1.15 compiles its datapath with -Werror and is older than this clang,
# whose new warnings must not stop it.
exec /usr/lib/llvm-19/bin/clang "$@" -Wno-error
