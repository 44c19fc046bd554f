#!/bin/sh
# Extraction as an array job of Slurm: task k of n for each element of the array.
#
#   sbatch --array=0-31 recipes/slurm.sh CORPUS [OPTIONS of quarkcrawl extract]
#
# The array is numbered from 0. What hosts repeat is learned by an array job of its own, before:
#
#   sites=$(sbatch --parsable --array=0-31 recipes/slurm.sh CORPUS --learn-sites)
#   sbatch --array=0-31 --dependency=afterok:"$sites" recipes/slurm.sh CORPUS
#
# Elements that failed are given again by their numbers, out of the same 32:
#
#   TASKS=32 sbatch --array=7,19 recipes/slurm.sh CORPUS
#SBATCH --job-name=quarkcrawl
#SBATCH --cpus-per-task=2
#SBATCH --requeue
set -eu
exec quarkcrawl extract "$@" --workers "${SLURM_CPUS_PER_TASK:-2}" \
  --task "$SLURM_ARRAY_TASK_ID/${TASKS:-$SLURM_ARRAY_TASK_COUNT}"
