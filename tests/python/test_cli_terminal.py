"""Progress: a bar on a terminal, plain lines elsewhere. The terminal is a real one, of tmux."""

import os
import re
import shutil
import subprocess
import time

import pytest
from cli_program import PROGRAM, require_networks, require_program, run

FIT = (
    "--epochs 100000 --least-steps 0 --widths 8,8 --kernels 5,3 --threads 1 --seed 3 "
    "--loss variance+cross-entropy"
)


@pytest.fixture(scope="module")
def training(tmp_path_factory):
    require_networks()
    path = tmp_path_factory.mktemp("terminal") / "train.tsv"
    assert run("generate", "cbf", "--cases", 12, "--length", 32, "--seed", 1, "-o", path).returncode == 0
    return path


class Terminal:
    """A terminal of 100 columns in which somebody types: no CI, where nobody watches."""

    def __init__(self, folder):
        self.command = ["tmux", "-S", str(folder / "socket"), "-f", "/dev/null"]
        self.tmux("new-session", "-d", "-x", "100", "-y", "30", "env -u CI PS1='$ ' bash --norc --noprofile")

    def tmux(self, *arguments):
        done = subprocess.run([*self.command, *arguments], capture_output=True, text=True, check=True)
        return done.stdout

    def type(self, text):
        self.tmux("send-keys", text, "Enter")

    def screen(self, colors=False):
        return self.tmux("capture-pane", "-p", *(["-e"] if colors else []))

    def wait_for(self, pattern, colors=False):
        deadline = time.monotonic() + 60
        while not re.search(pattern, self.screen(colors), re.MULTILINE):
            assert time.monotonic() < deadline, f"no {pattern} in\n{self.screen(colors)}"
            time.sleep(0.05)
        return self.screen(colors)

    def close(self):
        self.tmux("kill-server")


@pytest.fixture
def terminal(tmp_path):
    if shutil.which("tmux") is None:
        pytest.skip("no tmux here")
    opened = Terminal(tmp_path)
    yield opened
    opened.close()


BAR = r"^\[#*-*\] +\d+ % epoch \d+ of 100000, [\d.]+( thousand)? epochs/s, .* left: loss .*"


def test_a_terminal_shows_a_bar_that_is_drawn_over_itself(terminal, training, tmp_path):
    terminal.type(f"{PROGRAM} fit {training} -o {tmp_path}/model {FIT}")
    terminal.wait_for(BAR)
    time.sleep(0.5)
    screen = terminal.screen()
    assert len(re.findall(BAR, screen, re.MULTILINE)) == 1, screen  # one line, whatever the number of epochs
    assert max(map(len, screen.splitlines())) <= 100
    assert "\x1b[32m" in terminal.screen(colors=True)
    terminal.tmux("send-keys", "C-c")
    terminal.wait_for(r"^diffeo: interrupted in epoch \d+ of 100000; go on with: ")  # on a line of its own


def test_a_study_shows_how_far_it_is_and_the_time_left(terminal):
    terminal.type(f"{PROGRAM} study precision --measure errors --threads 1")
    terminal.wait_for(r"^ *\d+ %.* \d+:\d\d<\d+:\d\d, errors")
    terminal.tmux("send-keys", "C-c")


def test_no_color_takes_the_color_away(terminal, training, tmp_path):
    terminal.type(f"NO_COLOR=1 {PROGRAM} fit {training} -o {tmp_path}/model {FIT}")
    screen = terminal.wait_for(BAR, colors=True)
    bar = next(line for line in screen.splitlines() if re.match(BAR, line))
    assert "\x1b" not in bar


def test_a_bulk_verb_shows_that_it_reads_then_rate_and_time_left(terminal, training, tmp_path):
    fitted = run("fit", training, "-o", tmp_path / "model", "--epochs", 1, "--least-steps", 0, "--quiet")
    assert fitted.returncode == 0, fitted.stderr
    many = tmp_path / "many.tsv"
    many.write_text(training.read_text() * 10_000)
    gate = tmp_path / "gate"
    os.mkfifo(gate)
    series = f"cat {training} {gate} {many}"  # for a form that has to know ahead what will come
    terminal.type(f"{series} | {PROGRAM} transform {tmp_path}/model - -o {tmp_path}/out.ts --jobs 1")
    terminal.wait_for(r"^reading")
    gate.write_text("")
    terminal.wait_for(r"^\[#*-*\] +\d+ % \d+ of 120012 cases, [\d.]+ (thousand|million) values/s; \d+ s left")
    terminal.tmux("send-keys", "C-c")
    terminal.wait_for(r"^diffeo: transform: interrupted after \d+ cases; no file was changed")
    assert not (tmp_path / "out.ts").exists()


def test_a_pipe_gets_plain_lines_without_control_characters(training, tmp_path):
    command = [str(PROGRAM), "fit", str(training), "-o", str(tmp_path / "model"), *FIT.split()]
    process = subprocess.Popen(command, stderr=subprocess.PIPE, text=True)
    line = process.stderr.readline()  # after the few seconds between two
    process.terminate()
    rest = process.stderr.read()
    process.wait()
    assert re.fullmatch(r"epoch \d+ of 100000, [\d.]+( thousand)? epochs/s, .* left: loss .*\n", line)
    assert "\x1b" not in line + rest
    assert "\r" not in line + rest


def test_a_dumb_terminal_gets_plain_lines(terminal, training, tmp_path):
    terminal.type(f"TERM=dumb {PROGRAM} fit {training} -o {tmp_path}/model {FIT}")
    terminal.wait_for(r"^epoch \d+ of 100000, [\d.]+ ")
    assert "\x1b[32m" not in terminal.screen(colors=True)


def test_short_work_shows_nothing(tmp_path):
    require_program()
    result = run("generate", "bumps", "--cases", 6, "-o", tmp_path / "a.tsv", env=dict(os.environ))
    assert result.stderr == ""
