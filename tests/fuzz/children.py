"""Processes that run cases one after the other, and may die of them."""

import faulthandler
import os
import resource
import shutil
import signal
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from multiprocessing import connection, get_context
from pathlib import Path
from typing import Any

from tests.fuzz.outcomes import OURS, Outcome

SECONDS = 20.0  # of the processor, compiling not counted
WALL_SECONDS = 240.0  # a case that waits for something
WORK_SECONDS = 0.2  # of the processor within that time: it does more than to wait
LOOK_SECONDS = 5.0  # between two looks at a case; more than that, and all of us were stopped
BYTES = 1 << 30  # above what the process holds already
CASES_PER_CHILD = 300
# One thread for linear algebra and one arena: address space is then a fair measure of memory.
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",  # its own pool reserves more than the bound at once
    "MPLBACKEND": "agg",
}
Case = tuple[str, int, int]  # kind, seed, number
Player = Callable[[Case, Callable[[str], None]], Outcome]  # of a case, telling its steps
Report = tuple[Case, Outcome, list[str]]


def run_in_children(cases: Iterable[Case], player: Player, jobs: int = 1) -> Iterator[Report]:
    """Run cases in children; give outcome and steps of each as soon as it is there."""
    waiting = iter(cases)
    children: list[Child] = []
    try:
        while True:
            while len(children) < jobs and (case := next(waiting, None)):
                children.append(Child(case, player))
            if not children:
                return
            connection.wait([child.pipe for child in children], timeout=1.0)
            for child in list(children):
                report = child.report()
                if report is None:
                    continue
                yield report
                case = None if child.is_spent else next(waiting, None)
                if case is None:
                    children.remove(child)
                    child.end()
                else:
                    child.start(case)
    finally:
        for child in children:
            child.end()


class Child:
    """One process and the case that it works on."""

    def __init__(self, case: Case, player: Player) -> None:
        os.environ.update(ENVIRONMENT)
        context = get_context("spawn")
        self.pipe, other = context.Pipe()
        self.folder = tempfile.mkdtemp(prefix="fuzz-")
        self.last_words = Path(self.folder, "last-words")
        arguments = (other, self.folder, player, SECONDS)
        self.process = context.Process(target=work, args=arguments)
        self.process.start()
        other.close()
        self.pipe.recv()  # it has imported all that it needs: the first case has its whole time
        self.n_cases = 0
        self.start(case)

    @property
    def is_spent(self) -> bool:
        return self.n_cases >= CASES_PER_CHILD or not self.process.is_alive()

    def start(self, case: Case) -> None:
        self.case, self.steps, self.n_cases = case, [], self.n_cases + 1
        self.looked, self.waited = time.monotonic(), 0.0
        self.used = processor_seconds(self.process.pid)
        self.pipe.send(case)

    def report(self) -> Report | None:
        """What became of the case, or None if it is not over."""
        try:
            while self.pipe.poll():
                message = self.pipe.recv()
                if isinstance(message, Outcome):
                    return self.case, message, self.steps
                self.steps.append(message)
        except (EOFError, ConnectionResetError):
            self.process.join()
            return self.case, self._death(), self.steps
        looked, self.looked = self.looked, time.monotonic()
        self.waited += min(self.looked - looked, LOOK_SECONDS)
        if self.waited < WALL_SECONDS or self._has_worked():
            return None
        self._kill()
        return self.case, Outcome("hang", "hang: waiting", "no end, and no work"), self.steps

    def _has_worked(self) -> bool:
        """Whether the case, or what it started, used the processor: the machine is busy, not it."""
        used, self.waited = group_seconds(self.process.pid), 0.0
        worked, self.used = abs(used - self.used) > WORK_SECONDS, used  # less, if something ended
        return worked

    def end(self) -> None:
        """Let the process go, and everything that it started."""
        self.pipe.close()
        self._kill()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _kill(self) -> None:
        # The child leads a process group, so that its own workers go with it.
        try:
            os.killpg(self.process.pid, signal.SIGKILL)
        except (ProcessLookupError, PermissionError):
            self.process.kill()
        self.process.join()

    def _death(self) -> Outcome:
        code = self.process.exitcode or 0
        name = "hang" if code == -signal.SIGPROF else "crash"
        cause = signal.Signals(-code).name if code < 0 else f"exit {code}"
        return Outcome(name, f"{name}: {cause} at {_last_place(self.last_words)}", cause)


def processor_seconds(pid: int | None) -> float:
    """What a process has used, without its children."""
    return _seconds_and_group(pid)[0]


def group_seconds(leader: int | None) -> float:
    """What the processes of a group have used so far."""
    total = 0.0
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with suppress(OSError):  # it has ended
                seconds, group = _seconds_and_group(int(entry.name))
                total += seconds if group == leader else 0.0
    return total


def _seconds_and_group(pid: int | None) -> tuple[float, int]:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"), int(fields[2])


def _last_place(last_words: Path) -> str:
    """The deepest place of ours in what faulthandler wrote."""
    for line in last_words.read_text(errors="replace").splitlines():
        if f'"{OURS}' in line:
            file, _, rest = line.partition('", line ')
            return f"{file.split(str(OURS) + '/')[1]}:{rest.split(' in ')[-1]}"
    return "no place of ours"


def work(pipe: Any, folder: str, player: Player, seconds: float) -> None:
    """Run the cases that come through the pipe, until it is closed; files go into the folder."""
    os.setpgrp()
    tempfile.tempdir = os.environ["TMPDIR"] = folder
    words = open(Path(folder, "last-words"), "w")
    faulthandler.enable(words)
    faulthandler.register(signal.SIGPROF, file=words, chain=True)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    silence = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(silence, stream)
    pipe.send("ready")
    while True:
        try:
            case = pipe.recv()
        except EOFError:
            return
        words.seek(0)
        words.truncate()
        with limited(seconds):
            outcome = player(case, pipe.send)
        pipe.send(outcome)


class limited:
    """Bound the processor time and the memory of what is done inside; death is the penalty."""

    def __init__(self, seconds: float = SECONDS) -> None:
        self.seconds = seconds

    def __enter__(self) -> None:
        _pause_while_compiling()
        held = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        resource.setrlimit(resource.RLIMIT_AS, (held + BYTES, resource.RLIM_INFINITY))
        signal.setitimer(signal.ITIMER_PROF, self.seconds)

    def __exit__(self, *_: Any) -> None:
        signal.setitimer(signal.ITIMER_PROF, 0)
        resource.setrlimit(resource.RLIMIT_AS, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))


def _pause_while_compiling() -> None:
    """Stop the clock while functions are compiled: that time is not the case's."""
    from similearn.numerics.compiling import Compiled

    compiled_for: Any = Compiled._compiled_for
    if hasattr(compiled_for, "pauses"):
        return

    def paused(self: Any, types: Any) -> Any:
        left = signal.setitimer(signal.ITIMER_PROF, 0)[0]
        try:
            return compiled_for(self, types)
        finally:
            signal.setitimer(signal.ITIMER_PROF, left)

    paused.pauses = True  # type: ignore[attr-defined]
    Compiled._compiled_for = paused  # type: ignore[method-assign]
