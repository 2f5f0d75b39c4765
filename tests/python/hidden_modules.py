"""What programs of tests begin with where libraries are to be missing."""


def hiding(*names: str) -> str:
    """Lines after which importing them fails; None in sys.modules would trouble others that look there."""
    return f"""
import sys

class Hidden:
    @staticmethod
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] in {names!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)

sys.meta_path.insert(0, Hidden)
"""
