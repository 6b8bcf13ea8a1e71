#!/usr/bin/env bash
# Only the plug-in, src/run/mpi_plugin.cpp, is linked with MPI, and nobody outside it asks which runtime there is: what differs is a function of plan/runtime.h.
set -u
wrong=$(
  grep -rnE '^ *# *include [<"]mpi\.h' src | grep -v '^src/run/mpi_plugin.cpp:' | sed 's/$/: only the plug-in includes mpi.h/'
  grep -rnE '(dynamic_cast|typeid) *[<(][^>)]*Runtime|\bis_reference\(|(\.|->)(is_)?dry\(' src | grep -v '^src/run/' |
    sed 's/$/: nobody outside src\/run asks which runtime there is/'
  grep -nE '\bMPI(::|_C)' CMakeLists.txt tests/CMakeLists.txt | grep -vE 'mtf_mpi|MPI_C_FOUND|find_package' | sed 's/$/: only the plug-in is linked with MPI/'
)
[ -z "$wrong" ] || { echo "$wrong"; exit 1; }
