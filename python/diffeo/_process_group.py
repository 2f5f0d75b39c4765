"""What the processes of a group have to know of each other before and after a fit, in Python."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

if TYPE_CHECKING:
    from torch.distributed import ProcessGroup


def of_first(seed: int, process_group: ProcessGroup) -> int:
    """The seed of the first process."""
    from torch import distributed

    seeds = [seed]
    distributed.broadcast_object_list(seeds, group=process_group, group_src=0)
    return seeds[0]


def labels_of_all(own: NDArray[Any] | None, process_group: ProcessGroup) -> NDArray[Any] | None:
    """Every label that some process has, as each has them; None where there are none."""
    from torch import distributed

    if own is None:
        return None
    found: list[Any] = [None] * process_group.size()
    distributed.all_gather_object(found, np.unique(own), group=process_group)
    every: NDArray[Any] = np.concatenate(found)
    return every
