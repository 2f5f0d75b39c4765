"""Pages to look at in a browser, made by the program, and the browser."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

import diffeo

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = Path(os.environ.get("DIFFEO_PROGRAM", ROOT / "build" / "bin" / "diffeo"))
BROWSER = shutil.which("chromium")
DRIVER = shutil.which("chromedriver")
LONG_ENOUGH = 120  # seconds: a process that takes longer hangs


def run(*arguments: object) -> str:
    command = [str(PROGRAM), *map(str, arguments)]
    result = subprocess.run(command, capture_output=True, text=True, timeout=LONG_ENOUGH, check=False)
    assert result.returncode == 0, result.stderr
    return result.stdout


def has_networks() -> bool:
    command = [str(PROGRAM), "fit", "none.tsv", "-o", "none"]
    result = subprocess.run(command, capture_output=True, text=True, timeout=LONG_ENOUGH, check=False)
    return "without libtorch" not in result.stderr


def write_warps(path: Path, source: Path, y: np.ndarray | None, alignment: diffeo.Alignment) -> None:
    """What `diffeo align --warps` writes (diffeo/warps_file.hpp), by another hand."""
    from safetensors.numpy import save_file

    classes = [] if y is None else list(dict.fromkeys(y))
    mean = np.asarray(alignment.mean, dtype=float)
    means = mean.reshape(max(len(classes), 1), -1, mean.shape[-1])
    variances = [0.0] * len(means)
    note = {
        "version": 2,
        "source": source.name,
        "classes": classes,
        "domain": [0.0, 1.0],
        "options": {"cells": str(alignment.velocities.shape[1] - 1)},
        "history": [[3.0, 2.0, 1.5]] * len(means),
        "variance_before": variances,
        "variance": variances,
    }
    tensors = {"velocities": np.ascontiguousarray(alignment.velocities), "means": np.ascontiguousarray(means)}
    metadata = {"diffeo_warps": json.dumps(note)}
    save_file(tensors, path, metadata={**metadata, "digest": digest_of(tensors, metadata)})


def digest_of(tensors: dict[str, np.ndarray], metadata: dict[str, str]) -> str:
    """SHA-256 of float64 tensors and metadata, each by name, with all sizes (src/data/tensor_digest.cpp)."""
    digest = hashlib.sha256()

    def add(*parts: int | str | bytes) -> None:
        for part in parts:
            if isinstance(part, int):
                digest.update(part.to_bytes(8, "little"))
                continue
            content = part.encode() if isinstance(part, str) else part
            digest.update(len(content).to_bytes(8, "little") + content)

    add(len(tensors))
    for name, values in sorted(tensors.items()):
        add(name, "F64", values.ndim, *values.shape, values.tobytes())
    for key, value in sorted(metadata.items()):
        add(key, value)
    return "sha256:" + digest.hexdigest()


@dataclass
class Browser:
    """Headless Chromium, with a note of every console message and every request since the page was opened."""

    driver: object = field(init=False)

    def __post_init__(self) -> None:
        from selenium import webdriver
        from selenium.webdriver.chrome.service import Service

        options = webdriver.ChromeOptions()
        options.binary_location = BROWSER
        for argument in ("--headless=new", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars"):
            options.add_argument(argument)
        if os.geteuid() == 0:
            options.add_argument("--no-sandbox")  # Chromium refuses to be root with it
        options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
        self.driver = webdriver.Chrome(options=options, service=Service(DRIVER))
        self.driver.set_script_timeout(30)

    def open(
        self, page: Path, *, width: int = 1280, height: int = 900, dark: bool = False, mobile: bool = False
    ) -> Browser:
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.cdp("Emulation.setEmulatedMedia", features=features)
        self.resize(width, height, mobile=mobile)
        for kind in ("browser", "performance"):
            self.driver.get_log(kind)  # what came before is forgotten
        self.driver.get(page.resolve().as_uri())
        self.settle()
        return self

    def resize(self, width: int, height: int, *, mobile: bool = False) -> None:
        self.cdp(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=2 if mobile else 1,
            mobile=mobile,
        )

    def cdp(self, command: str, **arguments: object) -> dict:
        return self.driver.execute_cdp_cmd(command, arguments)

    def js(self, code: str, *arguments: object) -> object:
        return self.driver.execute_script(code, *arguments)

    def each(self, selector: str, code: str) -> list:
        """What the JavaScript expression gives for every element `e` that the selector finds."""
        return self.js(f"return [...document.querySelectorAll(`{selector}`)].map((e) => {code})")

    def settle(self) -> None:
        """Until what was asked for is drawn: observers report once a frame, charts are drawn in the next."""
        frames = "const step = () => n-- ? requestAnimationFrame(step) : done(); step();"
        self.driver.execute_async_script("let n = 4; const done = arguments[0]; " + frames)

    def choose(self, name: str, value: object, event: str = "change") -> None:
        """As if a person had set the control of that id."""
        code = "const e = document.getElementById(arguments[0]); e.value = arguments[1];"
        self.js(code + "e.dispatchEvent(new Event(arguments[2], {bubbles: true}));", name, str(value), event)
        self.settle()

    def set_time(self, time: float) -> None:
        self.choose("time", time, "input")

    def complaints(self) -> list[str]:
        return [f"{entry['level']}: {entry['message']}" for entry in self.driver.get_log("browser")]

    def requests(self) -> list[str]:
        messages = [json.loads(entry["message"])["message"] for entry in self.driver.get_log("performance")]
        sent = [each["params"] for each in messages if each["method"] == "Network.requestWillBeSent"]
        return [each["request"]["url"] for each in sent]

    def screenshot(self, path: Path) -> None:
        assert self.driver.save_screenshot(str(path))

    def close(self) -> None:
        self.driver.quit()
