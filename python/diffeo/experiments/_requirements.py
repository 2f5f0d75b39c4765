"""One line instead of a traceback if something that experiments need is not installed."""

from importlib.util import find_spec

for _name in ("jinja2", "matplotlib", "pandas", "scipy", "sklearn"):
    if find_spec(_name) is None:
        raise ImportError(f"diffeo.experiments needs {_name}: pip install diffeo[experiments]")
