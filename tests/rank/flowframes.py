"""A flow in memory as the frames that the iteration on Spark takes."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from quarkcrawl.rank.iterate.iteration import distribution


def flow_frames(spark, flow, teleport=None):
    """Links and nodes of a flow over pages."""
    n = flow.n_nodes
    links = pa.table(
        {
            "source": flow.page[flow.incoming].astype(np.int64),
            "target": np.repeat(np.arange(n), np.diff(flow.in_ptr)),
            "share": flow.coefficient[flow.incoming],
        }
    )
    nodes = pa.table({"id": np.arange(n), "jump": distribution(teleport, n, "teleport")})
    return spark.createDataFrame(links), spark.createDataFrame(nodes)
