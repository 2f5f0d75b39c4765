"""Prints how many milliseconds a sum of a few numbers takes; several_processes.py starts two of it."""

from __future__ import annotations

import time

import torch
import torch.distributed as distributed

WARM, TIMED = 50, 1000


def main() -> None:
    distributed.init_process_group("gloo")
    numbers = torch.ones(8, dtype=torch.float64)
    for _ in range(WARM):
        distributed.all_reduce(numbers)
    start = time.perf_counter()
    for _ in range(TIMED):
        distributed.all_reduce(numbers)
    if distributed.get_rank() == 0:
        print(1e3 * (time.perf_counter() - start) / TIMED)
    distributed.destroy_process_group()


if __name__ == "__main__":
    main()
