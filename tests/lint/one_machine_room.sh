#!/usr/bin/env bash
# Only src/run/ knows MPI, and nobody outside it asks which runtime there is: what differs is a function of plan/runtime.h.
set -u
wrong=$(
  grep -rnE '^ *# *include [<"]mpi\.h' src | grep -v '^src/run/' | sed 's/$/: only src\/run includes mpi.h/'
  grep -rnE '(dynamic_cast|typeid) *[<(][^>)]*Runtime|\bis_reference\(|(\.|->)(is_)?dry\(' src | grep -v '^src/run/' |
    sed 's/$/: nobody outside src\/run asks which runtime there is/'
  grep -nE '\bMPI(::|_C)' CMakeLists.txt tests/CMakeLists.txt | grep -vE 'mtf_run|libmtf|find_package' | sed 's/$/: only mtf_run is linked with MPI/'
)
[ -z "$wrong" ] || { echo "$wrong"; exit 1; }
