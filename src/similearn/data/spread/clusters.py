"""`on`: the tiles and units of work are sent to a Dask cluster."""

import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import count, islice
from typing import Any

from similearn.errors import InputError, MissingExtraError, WorkerError

_MOST_SHARED = 4  # things that are kept on the workers at once
_MOST_LOSSES = 20  # of what all tasks need, before we give up
_SECONDS_WITHOUT_SCHEDULER = 60.0
_SECONDS_WITHOUT_WORKERS = 60.0
_SECONDS_BETWEEN_LOOKS = 5.0
_RETRIES = 3

_active: list["Cluster"] = []


def active_cluster() -> "Cluster | None":
    """The cluster that work is sent to, if there is one."""
    return _active[-1] if _active else None


@contextmanager
def on(cluster: Any) -> Iterator[Any]:
    """Send the work of the lines within to a Dask cluster: ``with similearn.on(client):``.

    Parameters
    ----------
    cluster : ``dask.distributed.Client``, str or int
        A client; the address of a scheduler, such as ``"tcp://10.0.0.1:8786"``; or "local:4"
        (or 4), so many processes on this machine, which are started and ended here.

    Notes
    -----
    What is sent: tiles of `neighbor_table` and of lazy blocks (neighbours of all training samples
    and of queries, blocks among them), folds of `PathSearchCV` by paths and of
    `SimilarityClassifier`, and the units of `similearn compare` and `reproduce`.
    Objects are sent once to every worker, not with each task. Results are those of one machine
    to the last bit. A worker that is killed costs the tasks that it was at; a scheduler that goes
    away is a `WorkerError`, and `neighbor_table` with a ``path`` keeps what was done. It holds for
    the whole process, threads included. The workers need similearn, and what the similarity needs.

    Examples
    --------
    >>> import similearn
    >>> from dask.distributed import Client  # doctest: +SKIP
    >>> names = ["korhonen", "laine", "rossi", "esposito"]
    >>> with similearn.on(Client("tcp://10.0.0.1:8786")):  # doctest: +SKIP
    ...     table = similearn.neighbor_table(names, 2, "levenshtein", path="names.npz")
    """
    client, ours = _client_of(cluster)
    _active.append(made := Cluster(client))
    try:
        yield client
    finally:
        _active.remove(made)
        made.forget()
        for part in ours:
            part.close()


def _client_of(cluster: Any) -> tuple[Any, list[Any]]:
    """A client, and what is ours to close afterwards."""
    try:
        from distributed import Client, LocalCluster
    except ImportError:
        raise MissingExtraError(
            "A Dask cluster needs dask.distributed, which is not installed. Run: pip install "
            '"similearn[dask]"'
        ) from None
    if isinstance(cluster, Client):
        return cluster, []
    n_workers = _local_workers(cluster)
    if n_workers is not None:
        local = LocalCluster(
            n_workers=n_workers, threads_per_worker=1, processes=True, dashboard_address=None
        )
        return (client := Client(local)), [client, local]
    if not isinstance(cluster, str):
        raise InputError(
            f"cluster={cluster!r} is no cluster; expected a dask.distributed.Client, the address "
            "of a scheduler, or 'local:N' for N processes here."
        )
    try:
        return (client := Client(cluster, timeout="10s")), [client]
    except (OSError, ValueError, TypeError) as error:
        raise WorkerError(
            f"No scheduler answers at {cluster}: {error or type(error).__name__}. Start one by "
            "`dask scheduler`, and workers by `dask worker ADDRESS`."
        ) from None


def _local_workers(cluster: Any) -> int | None:
    """How many processes "local:N" or N asks for; None for anything else."""
    if isinstance(cluster, str) and cluster.startswith("local:"):
        told = cluster.removeprefix("local:")
        cluster = int(told) if told.isdecimal() else 0
    if not isinstance(cluster, int) or isinstance(cluster, bool):
        return None
    if not 1 <= cluster <= 1024:
        raise InputError("local:N needs a number of processes from 1 to 1024, as in local:2.")
    return cluster


class Cluster:
    """Runs tasks by futures over scattered objects; see `similearn.data.chunks.run_tasks`."""

    def __init__(self, client: Any) -> None:
        self.client = client
        self._shared: dict[int, tuple[Any, Any]] = {}

    def forget(self) -> None:
        """Let the workers drop what was sent to them."""
        self._shared.clear()

    def run(
        self, function: Callable[..., Any], shared: Any, tasks: Iterable[tuple[Any, ...]]
    ) -> Iterator[tuple[int, Any]]:
        """Call ``function(shared, *task)`` for every task; yield number and result as they end."""
        waiting: dict[Any, tuple[int, tuple[Any, ...]]] = {}
        again: list[tuple[int, tuple[Any, ...]]] = []
        numbered, losses = enumerate(tasks), 0
        try:
            while True:
                room = 2 * self._threads() - len(waiting)
                next_ones = again[:room] + list(islice(numbered, max(room - len(again), 0)))
                del again[: max(room, 0)]
                for number, task in next_ones:
                    waiting[self._submit(function, shared, task)] = number, task
                if not waiting:
                    return
                for future in self._ended(waiting):
                    number, task = waiting.pop(future)
                    if future.status in ("cancelled", "lost"):
                        losses += 1
                        self._require_going_on(losses)
                        self._shared.pop(id(shared), None)  # was lost with its last worker
                        again.append((number, task))
                    else:
                        yield number, self._result(future)
        finally:
            for future in waiting:
                future.release()

    def _submit(self, function: Callable[..., Any], shared: Any, task: tuple[Any, ...]) -> Any:
        sent = self._scattered(shared)
        return self._asked(self.client.submit, function, sent, *task, pure=False, retries=_RETRIES)

    def _scattered(self, shared: Any) -> Any:
        """A future of what all tasks need, sent once to every worker."""
        kept = self._shared.get(id(shared))
        if kept is not None and kept[1].status == "finished":
            return kept[1]
        while len(self._shared) >= _MOST_SHARED:
            del self._shared[next(iter(self._shared))]
        self._shared[id(shared)] = shared, (future := self._sent(shared))
        return future

    def _sent(self, shared: Any) -> Any:
        """The same, however many workers die while it is sent to them."""
        for losses in count(1):
            self._threads()  # the scheduler answers, and there are workers
            try:
                # In a list, since a scattered dict or list of futures would be looked into.
                return self.client.scatter([shared], broadcast=True, hash=False)[0]
            except OSError:  # of the connection to a worker, or to the scheduler
                self._require_going_on(losses)
            except (RuntimeError, AttributeError) as error:
                self._require_scheduler(error)

    def _threads(self) -> int:
        """Threads of all workers; waits for a worker if all are gone."""
        end = time.monotonic() + _SECONDS_WITHOUT_WORKERS
        while True:
            threads = sum(self._asked(self.client.nthreads).values())
            if threads:
                return int(threads)
            if time.monotonic() > end:
                raise WorkerError(
                    "The cluster has no workers, and none came within a minute. Start some by "
                    "`dask worker ADDRESS`, and call again: what is kept in a file need not be "
                    "done again."
                )
            time.sleep(0.2)

    def _asked(self, call: Callable[..., Any], *arguments: Any, **options: Any) -> Any:
        """What the scheduler answers, if there is one."""
        try:
            return call(*arguments, **options)
        except (OSError, TimeoutError) as error:
            self._scheduler_gone(error)
        except (RuntimeError, AttributeError) as error:
            self._require_scheduler(error)

    def _require_scheduler(self, error: Exception) -> None:
        """Raise the error, or that the scheduler is gone: a closed client has none to ask."""
        if self.client.status == "running" and self.client.scheduler is not None:
            raise error
        self._scheduler_gone(error)

    def _ended(self, waiting: Iterable[Any]) -> list[Any]:
        """Futures that have ended, whatever became of them."""
        from distributed import wait

        begun = time.monotonic()
        while True:
            try:
                return list(
                    wait(
                        list(waiting), timeout=_SECONDS_BETWEEN_LOOKS, return_when="FIRST_COMPLETED"
                    ).done
                )
            except TimeoutError:
                if self.client.status == "running":
                    begun = time.monotonic()
                elif time.monotonic() - begun > _SECONDS_WITHOUT_SCHEDULER:
                    self._scheduler_gone()
            except Exception as error:  # a cancelled future, or no scheduler any more
                ended = [future for future in waiting if future.status != "pending"]
                if ended:
                    return ended
                self._scheduler_gone(error)

    def _result(self, future: Any) -> Any:
        from distributed import KilledWorker

        try:
            return future.result()
        except KilledWorker as error:
            raise WorkerError(
                "Several workers died at one task, most often since memory ran out. Give workers "
                "more memory, and call again: what is kept in a file need not be done again."
            ) from error

    def _require_going_on(self, losses: int) -> None:
        if self.client.status != "running":
            self._scheduler_gone()
        if losses > _MOST_LOSSES:
            raise WorkerError(
                "The cluster lost the objects that all tasks need again and again: workers come "
                "and go too fast. Give workers more memory, and call again."
            )

    def _scheduler_gone(self, error: Exception | None = None) -> None:
        raise WorkerError(
            "The scheduler of the cluster went away. Start it again and give the same call: what "
            "is kept in a file need not be done again."
        ) from error
