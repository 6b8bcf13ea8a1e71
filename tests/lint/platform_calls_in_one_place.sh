#!/usr/bin/env bash
# Only src/support/platform.* knows which system this is: other sources include C's headers and those of POSIX that every
# system has, and name no call, constant, macro or path of one system.
set -u
headers='antlr4-runtime|arpa/inet|assert|ctype|dlfcn|errno|fcntl|fmt/[a-z]+|limits|math|mpi|netinet/in|poll|pthread|regex|signal|stdbool|stddef|stdint|stdio|stdlib|string|sys/(file|ioctl|mman|resource|socket|stat|types|wait)|termios|time|unistd|utf8proc|xxhash|zlib'
calls='accept4|clock_nanosleep|close_range|copy_file_range|dup3|epoll_[a-z0-9_]+|eventfd|execvpe|fallocate|fdatasync|get_nprocs|getauxval|getentropy|getrandom|gettid|inotify_[a-z0-9_]+|madvise|mallinfo2?|malloc_trim|malloc_usable_size|mallopt|memfd_create|mincore|mremap|pipe2|posix_fadvise|posix_fallocate|posix_madvise|ppoll|prctl|preadv2?|pthread_[a-z_]+_np|pwritev2?|quick_exit|renameat2|sched_[a-z]*affinity|sched_getcpu|secure_getenv|sendfile|signalfd|sigqueue|sigtimedwait|sigwaitinfo|statfs|fstatfs|statx|strerror_r|sync_file_range|syncfs|syscall|sysctl[a-z]*|sysinfo|timer_create|timerfd_[a-z]+|unshare'
constants='AT_EMPTY_PATH|CLOCK_[A-Z]+_COARSE|F_FULLFSYNC|MADV_[A-Z_]+|MAP_(HUGETLB|LOCKED|NORESERVE|POPULATE|STACK|FIXED_NOREPLACE)|MFD_[A-Z_]+|O_(DIRECT|NOATIME|PATH|TMPFILE)|PR_[A-Z]+_[A-Z]+|SOCK_(CLOEXEC|NONBLOCK)|[A-Z]+_SUPER_MAGIC|program_invocation_[a-z_]+|st_[acm]timespec|st_[acm]tim'
macros='__(linux|linux__|gnu_linux__|APPLE__|FreeBSD__|OpenBSD__|NetBSD__|GLIBC__|GLIBC_MINOR__|CYGWIN__|ANDROID__)|_WIN32|_GNU_SOURCE'
paths='/proc/|/sys/|/dev/(shm|fd|random|urandom)|/etc/'
named="\\b($calls)\\(|\\b($constants)\\b|\\b($macros)\\b|(^|[^A-Za-z0-9_.])($paths)"
sources=(--include='*.h' --include='*.cpp' --include='*.def')

found() { grep -nE "$named" src/support/platform.cpp | grep -cE "$1"; }
for kind in "\\b($calls)\\(" "\\b($constants)\\b" "$paths"; do
  [ "$(found "$kind")" -gt 0 ] || { echo "no line of src/support/platform.cpp has one of $kind"; exit 1; }
done

wrong=$(
  grep -rnE "${sources[@]}" '^ *# *include <[^>]*\.h>' src | grep -vE "^[^:]*:[0-9]+: *# *include <($headers)\.h>" | grep -v '^src/support/platform\.'
  grep -rnE "${sources[@]}" "$named" src | grep -vE '^src/support/platform\.|: *# *include '
)
[ -z "$wrong" ] || { echo "$wrong" | sed 's/$/: of one system, and so for src\/support\/platform.cpp/'; exit 1; }
