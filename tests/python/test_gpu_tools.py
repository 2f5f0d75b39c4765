"""The commands about GPUs, where there is none, or no compiler for them: they say what is missing."""

import os
import subprocess
from pathlib import Path

import pytest

TOOLS = Path(__file__).resolve().parents[2] / "tools"


def run_tool(name, **variables):
    return subprocess.run(
        [TOOLS / name],
        env={**os.environ, **variables},
        capture_output=True,
        text=True,
        check=False,
        timeout=60,
    )


def program(path, *lines):
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    "answer", ["exit 9", "echo"], ids=["a driver that does not answer", "a driver without GPUs"]
)
def test_the_check_of_a_gpu_is_refused_where_there_is_none(answer, tmp_path):
    program(tmp_path / "nvidia-smi", answer)
    done = run_tool("gpu_check.sh", PATH=f"{tmp_path}:{os.environ['PATH']}")
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("gpu-check: no GPU here (nvidia-smi finds none); ")


def test_the_check_of_a_gpu_compiles_for_the_gpus_there_are(tmp_path):
    program(
        tmp_path / "nvidia-smi",
        "case $1 in *name*) echo A; echo B; echo C;; *) echo 9.0; echo 8.6; echo 9.0;; esac",
    )
    program(tmp_path / "cmake", 'echo "$@"; exit 3')
    compiler = program(tmp_path / "nvcc", "echo Cuda compilation tools, release 13.0, V13.0.88")
    done = run_tool("gpu_check.sh", PATH=f"{tmp_path}:{os.environ['PATH']}", CUDACXX=str(compiler))
    assert done.stdout.splitlines()[-1] == "--preset gpu -DCMAKE_CUDA_ARCHITECTURES=86;90"


@pytest.mark.parametrize("release", ["12.4", "13.0"])
def test_a_compiler_that_is_named_is_taken(release, tmp_path):
    compiler = program(tmp_path / "nvcc", f"echo Cuda compilation tools, release {release}, V{release}.131")
    assert run_tool("cuda_compiler.sh", CUDACXX=str(compiler)).stdout == f"{compiler}\n"


def test_a_compiler_that_is_named_and_too_old_is_refused(tmp_path):
    compiler = program(tmp_path / "nvcc", "echo Cuda compilation tools, release 11.8, V11.8.89")
    done = run_tool("cuda_compiler.sh", CUDACXX=str(compiler))
    assert (done.returncode, done.stdout) == (1, "")
    expected = f"cuda: CUDACXX: expected CUDA's compiler, 12 or later, got {compiler} (release 11"
    assert done.stderr.startswith(expected)


def test_a_compiler_that_is_named_and_is_none_is_refused(tmp_path):
    done = run_tool("cuda_compiler.sh", CUDACXX=str(tmp_path / "nowhere"))
    assert (done.returncode, done.stdout) == (1, "")
    assert "CUDACXX: expected CUDA's compiler, 12 or later, got" in done.stderr
