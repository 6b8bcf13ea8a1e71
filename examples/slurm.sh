#!/usr/bin/env bash
# Trains on several nodes under Slurm: `sbatch examples/slurm.sh SCRIPT [options of mtf run]`. Two nodes of four ranks each
# are asked for below, with four cores a rank; change them here or on sbatch's command line. Every node needs mtf and the
# script at the same path. A job that is ended and started again goes on from its last checkpoint where the script has an
# option `resume`, as examples/wikitext.mtf has: --set resume=true.
#SBATCH --job-name=mtf
#SBATCH --nodes=2
#SBATCH --ntasks-per-node=4
#SBATCH --cpus-per-task=4
#SBATCH --time=01:00:00
#SBATCH --output=mtf-%j.log
set -eu
mtf=${MTF:-mtf}
[ $# -gt 0 ] || { echo "usage: sbatch examples/slurm.sh SCRIPT [options of mtf run]" >&2; exit 2; }
# Open MPI asks Slurm how many ranks there are, and on which nodes. A rank takes the cores that Slurm gives it.
exec mpirun -q --map-by "slot:PE=${SLURM_CPUS_PER_TASK:-1}" --bind-to core \
  "$mtf" run "$@" --threads "${SLURM_CPUS_PER_TASK:-1}"
