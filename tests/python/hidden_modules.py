"""What programs of tests begin with that shall find no torch."""

#: None in sys.modules would trouble SciPy, which looks there for torch.
HIDING_TORCH = """
import sys

class Hidden:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] == "torch":
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)

sys.meta_path.insert(0, Hidden)
"""
