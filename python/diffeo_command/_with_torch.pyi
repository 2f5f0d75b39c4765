from ._without_torch import ResultStore as ResultStore
from ._without_torch import needed_torch as needed_torch
from ._without_torch import run as run
