"""A job over pages as tasks: task k of n, on any machine, in any order, as often as one likes.

    RESULTS/_tasks/plan.json                        what every task does
    RESULTS/_tasks/inputs.parquet                   the inputs of all tasks, in their order
    RESULTS/_tasks/parts/000017/part-000003.parquet what a task has made so far
    RESULTS/_tasks/marks/000017.json                that it is done, and what it made
    RESULTS/_tasks/moves.json                       under which names the parts are published
    RESULTS/_tasks/finished.json                    that they are

Whoever comes first cuts the inputs into slices of about equal bytes (``inputs``) and fixes them in
a plan (``plan``); others find it and check that it is theirs. `run_task` does a slice (``run``)
part by part: a part appears whole or not at all, of several copies of a task the first to finish a
part gives it, and a task that was killed goes on after its last part. When all marks are there,
whoever notices gives the parts the names under which readers look for them (``folder``): files are
renamed, no row is read. Where the rows make up a whole table, the folder is beside it, and the
parts take the place of what the table was (``replaces``). Nothing here starts processes: that is
left to a shell, Slurm, Kubernetes, or to Ray or Spark, which are given all tasks (``cluster``).
"""

from quarkcrawl.corpus.tasks.cluster import AllTasks, Task, do_task, number_of, pool_of
from quarkcrawl.corpus.tasks.files import first_of_copies, put_in_place, remove
from quarkcrawl.corpus.tasks.folder import PlanFiles, TaskFolder, TaskTotals
from quarkcrawl.corpus.tasks.inputs import TaskInputs, read_inputs
from quarkcrawl.corpus.tasks.plan import PartLimits, TaskMark, TaskOrder, TaskPlan, check_task
from quarkcrawl.corpus.tasks.run import (
    TaskJob,
    TaskReport,
    part_facts,
    run_marked,
    run_task,
)

__all__ = [
    "AllTasks",
    "PartLimits",
    "PlanFiles",
    "Task",
    "TaskFolder",
    "TaskInputs",
    "TaskJob",
    "TaskMark",
    "TaskOrder",
    "TaskPlan",
    "TaskReport",
    "TaskTotals",
    "check_task",
    "do_task",
    "first_of_copies",
    "number_of",
    "part_facts",
    "pool_of",
    "put_in_place",
    "read_inputs",
    "remove",
    "run_marked",
    "run_task",
]
