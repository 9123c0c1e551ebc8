#!/bin/sh
# A history as a Slurm array: sbatch --array=1-16 history-slurm.sh v1.0..HEAD
# Then: tern-lab merge part-*/history.json -o whole
#SBATCH --job-name=history
#SBATCH --cpus-per-task=2
#SBATCH --time=04:00:00
set -eu
range=${1:?give the range, for example v1.0..HEAD}
# Each task has a cache of its own: file locks do not reach over every network
# file system.
exec tern-lab history "$range" --component exe:server --run '{exe} --bench' \
  --cache "${TMPDIR:-/tmp}/tern-lab-$SLURM_ARRAY_TASK_ID" \
  --shard "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" -o "part-$SLURM_ARRAY_TASK_ID"
