"""Where and with what a measurement was made."""

from __future__ import annotations

import datetime
import os
import platform
import re
import subprocess
from importlib import metadata
from pathlib import Path
from typing import Any

from workload import PROJECT

INSTRUCTION_SETS = ("sse4_2", "avx", "avx2", "fma", "avx512f", "avx512dq", "avx512vl", "asimd", "sve")
PACKAGES = ("numpy", "torch", "difw", "libcpab")


def cpu_field(name: str) -> str | None:
    """A field of the first processor in /proc/cpuinfo."""
    path = Path("/proc/cpuinfo")
    text = path.read_text() if path.exists() else ""
    found = re.search(rf"^{name}\s*:\s*(.+)$", text, re.MULTILINE)
    return found.group(1).strip() if found else None


def instruction_sets() -> list[str]:
    flags = (cpu_field("flags") or cpu_field("Features") or "").split()
    return [name for name in INSTRUCTION_SETS if name in flags]


def compiler(build: Path) -> str | None:
    """The compiler that CMake recorded in a build directory."""
    for path in sorted(build.glob("CMakeFiles/*/CMakeCXXCompiler.cmake")):
        text = path.read_text()
        parts = [re.search(rf'set\(CMAKE_CXX_COMPILER_{key} "([^"]+)"\)', text) for key in ("ID", "VERSION")]
        if all(parts):
            return " ".join(part.group(1) for part in parts if part)
    return None


def commit() -> str | None:
    """The commit of the source tree, marked when tracked files differ from it."""
    command = ["git", "-C", str(PROJECT), "describe", "--always", "--dirty", "--abbrev=12", "--exclude=*"]
    result = subprocess.run(command, capture_output=True, text=True, check=False)
    return result.stdout.strip() or None


def available_bytes() -> int:
    """Memory that can be had without swapping."""
    path = Path("/proc/meminfo")
    found = re.search(r"^MemAvailable:\s*(\d+) kB", path.read_text(), re.MULTILINE) if path.exists() else None
    return int(found.group(1)) * 1024 if found else os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")


def describe(build: Path, diffeo_version: str | None, packages: tuple[str, ...] = PACKAGES) -> dict[str, Any]:
    return {
        "cpu": cpu_field("model name") or platform.processor() or platform.machine(),
        "instruction_sets": instruction_sets(),
        "cores": os.cpu_count(),
        "load_average": os.getloadavg()[0],
        "system": f"{platform.system()} {platform.machine()}",
        "compiler": compiler(build),
        "versions": {
            "python": platform.python_version(),
            **{name: metadata.version(name) for name in packages},
            "diffeo": diffeo_version,
        },
        "commit": commit(),
        "date": datetime.datetime.now(datetime.UTC).date().isoformat(),
    }
