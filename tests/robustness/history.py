"""What clients of a store did and saw, and whether a correct store could have answered so.

Every value is written once, so an event tells whose write it is. An operation whose answer was lost may have happened
or not, at any time after it began. Checked are: acknowledged writes are there and failed ones are not; what is read was
written, and is never older than what was known when the reading began (each key is linearizable); every watcher is told
of everything in its order, once, also across reconnects.
"""

import bisect
import dataclasses
import itertools
import math
import threading
import time


@dataclasses.dataclass
class Operation:
    kind: str            # create, update, delete, get
    key: str
    value: str = None    # to write; of a get: what was found, None when nothing
    invoked: float = 0.0
    returned: float = math.inf
    outcome: str = "unknown"  # ok, failed, unknown
    revision: int = 0    # of the write, or of what was found
    uid: str = None      # of a delete: what it removed


@dataclasses.dataclass(frozen=True)
class Event:
    revision: int
    kind: str  # ADDED, MODIFIED, DELETED
    key: str
    value: str
    uid: str


@dataclasses.dataclass(frozen=True)
class Relist:
    """A watcher had to start again from what was there: what happened in between it was not told."""
    revision: int
    state: tuple  # of (key, revision, value, uid)


@dataclasses.dataclass
class WatcherLog:
    name: str
    keys: frozenset = None  # that it watches; None: all
    entries: list = dataclasses.field(default_factory=list)  # Event, Relist; the first is a Relist
    position: int = 0  # everything up to here was told


class History:
    """Threads: any may record."""

    def __init__(self):
        self._lock = threading.Lock()
        self._values = itertools.count()
        self.operations = []
        self.watchers = []

    def new_value(self):
        with self._lock:
            return f"v{next(self._values)}"

    def begin(self, kind, key, value=None):
        operation = Operation(kind, key, value, invoked=time.monotonic())
        with self._lock:
            self.operations.append(operation)
        return operation

    def watcher(self, name, keys=None):
        log = WatcherLog(name, keys)
        with self._lock:
            self.watchers.append(log)
        return log


class Checker:
    """The problems of a history; none when it could have come from a correct store."""

    def __init__(self, history):
        self.operations, self.watchers = history.operations, history.watchers
        self.problems = []
        self.events = {}  # revision to Event: what is known to have happened
        self.covered = []  # (from, to): every event in it is known
        self._covered_from, self._covered_until = [], []  # the same in order and merged, once all is read

    def problem(self, text):
        self.problems.append(text)

    def run(self):
        self.read_watchers()
        self._attribute()
        for key in sorted({operation.key for operation in self.operations}):
            self._order(key)
        return self.problems

    def read_watchers(self):
        for log in self.watchers:
            self._read(log)
        for log in self.watchers:
            self._compare(log)

    def _read(self, log):
        """One watcher by itself: revisions increase, and what it is told fits what it knew."""
        state, last = {}, 0
        for entry in log.entries:
            if isinstance(entry, Relist):
                if entry.revision < last:
                    self.problem(f"{log.name}: went back from {last} to {entry.revision}")
                for key, revision, _, _ in entry.state:
                    if revision > entry.revision:
                        self.problem(f"{log.name}: lists {key} at {revision}, newer than the list at {entry.revision}")
                state = {key: value for key, _, value, _ in entry.state}
                start = entry.revision
            else:
                if entry.revision <= last:
                    self.problem(f"{log.name}: told of {entry.revision} after {last}")
                if (entry.kind == "ADDED") == (entry.key in state):
                    self.problem(f"{log.name}: {entry} when {entry.key} was {state.get(entry.key)}")
                if entry.kind == "DELETED":
                    state.pop(entry.key, None)
                else:
                    state[entry.key] = entry.value
                known = self.events.setdefault(entry.revision, entry)
                if known != entry:
                    self.problem(f"{log.name}: told of {entry}, another of {known}")
            last = entry.revision
            if log.keys is None:
                self.covered.append((start, last))
        if log.keys is None and log.entries:
            self.covered.append((start, max(last, log.position)))

    def _compare(self, log):
        """Nothing that any watcher knows may be missing between what this one was told."""
        told = {entry.revision for entry in log.entries if isinstance(entry, Event)}
        for first, last in self._stretches(log):
            for revision, event in self.events.items():
                if first < revision <= last and (log.keys is None or event.key in log.keys) and revision not in told:
                    self.problem(f"{log.name}: was not told of {event}")

    def _stretches(self, log):
        start = end = 0
        for entry in log.entries:
            if isinstance(entry, Relist):
                if end > start:
                    yield start, end
                start = entry.revision
            end = entry.revision
        yield start, max(end, log.position)

    def stretches_known(self):
        """(from, to) in order: every event after the one and up to the other is known."""
        self._merge()
        return list(zip(self._covered_from, self._covered_until))

    def _known(self, revision):
        self._merge()
        at = bisect.bisect_left(self._covered_from, revision) - 1
        return at >= 0 and revision <= self._covered_until[at]

    def _merge(self):
        if not self._covered_until:
            for first, last in sorted(self.covered):
                if self._covered_until and first <= self._covered_until[-1]:
                    self._covered_until[-1] = max(last, self._covered_until[-1])
                else:
                    self._covered_from.append(first)
                    self._covered_until.append(last)

    def _attribute(self):
        """Every event is the doing of one operation, and every acknowledged operation has its event."""
        writes = {op.value: op for op in self.operations if op.kind in ("create", "update")}
        for event in self.events.values():
            if event.kind == "DELETED":
                continue
            operation = writes.get(event.value)
            if not operation or operation.key != event.key:
                self.problem(f"nobody wrote {event}")
            elif operation.outcome == "failed":
                self.problem(f"{event} is of a write that was refused: {operation}")
            elif operation.outcome == "ok" and operation.revision != event.revision:
                self.problem(f"{event} is of a write that was acknowledged otherwise: {operation}")
        seen = {}
        for event in self.events.values():
            if event.kind != "DELETED" and seen.setdefault(event.value, event) is not event:
                self.problem(f"written twice: {event} and {seen[event.value]}")
        for operation in writes.values():
            if operation.outcome == "ok" and operation.revision not in self.events and self._known(operation.revision):
                self.problem(f"an acknowledged write is missing: {operation}")
        self._attribute_deletes()

    def _attribute_deletes(self):
        deleted = {event.uid: event for event in self.events.values() if event.kind == "DELETED"}
        for operation in self.operations:
            if operation.kind == "delete" and operation.outcome == "ok" and operation.uid in deleted:
                operation.revision = deleted[operation.uid].revision
        tried = {op.key for op in self.operations if op.kind == "delete" and op.outcome != "failed"}
        for event in deleted.values():
            if event.key not in tried:
                self.problem(f"nobody deleted {event}")

    def _order(self, key):
        """Real time: what begins after something has ended comes after it."""
        operations = [op for op in self.operations if op.key == key]
        writes = {op.value: op for op in operations if op.kind in ("create", "update")}
        known = [op for op in operations if op.outcome == "ok" and op.revision]
        newest_by = Newest((op.returned, op.revision) for op in known)
        absent_until = self._absences(key, operations)
        for read in (op for op in operations if op.kind == "get" and op.outcome == "ok"):
            if read.value is not None:
                source = writes.get(read.value)
                if not source or source.outcome == "failed" or source.invoked > read.returned or \
                        (source.outcome == "ok" and source.revision != read.revision):
                    self.problem(f"read what was not written: {read} from {source}")
            else:
                floor = newest_by.before(read.invoked)
                if floor and absent_until.up_to(read.returned) <= floor:
                    self.problem(f"not found although it is there: {read}")
        for operation in known:
            newest = newest_by.before(operation.invoked)
            if operation.revision < newest or (operation.kind != "get" and operation.revision == newest):
                self.problem(f"older than what was known: {operation}, after revision {newest}")

    def _absences(self, key, operations):
        """From which revision on the key may be there again, after the deletions that had begun by a time."""
        made = sorted(event.revision for event in self.events.values() if event.key == key and event.kind == "ADDED")

        def made_again(delete):
            at = bisect.bisect_right(made, delete.revision) if delete.outcome == "ok" and delete.revision else len(made)
            return made[at] if at < len(made) else math.inf
        return Newest((op.invoked, made_again(op)) for op in operations
                      if op.kind == "delete" and op.outcome != "failed")


class Newest:
    """The largest revision of what has a time before, or up to, another."""

    def __init__(self, pairs):
        pairs = sorted(pairs)
        self._times = [at for at, _ in pairs]
        self._newest = list(itertools.accumulate((revision for _, revision in pairs), max))

    def before(self, at):
        return self._first(bisect.bisect_left(self._times, at))

    def up_to(self, at):
        return self._first(bisect.bisect_right(self._times, at))

    def _first(self, count):
        return self._newest[count - 1] if count else 0


def check(history):
    return Checker(history).run()


def check_watchers(history):
    """Only what watchers were told, where nobody recorded what was done."""
    checker = Checker(history)
    checker.read_watchers()
    return checker.problems


def states(history):
    """(first, end, key to (revision, value)): what there was from revision `first` on and before `end`, as far as watchers of
    all keys know everything. One state is changed into the next; copy what is to be kept."""
    checker = Checker(history)
    checker.read_watchers()
    lists = {entry.revision: entry for log in history.watchers if log.keys is None
             for entry in log.entries if isinstance(entry, Relist)}
    revisions = sorted(checker.events)
    for start, last in checker.stretches_known():
        state = {key: (revision, value) for key, revision, value, _ in lists[start].state}
        first = start
        for revision in revisions[bisect.bisect_right(revisions, start):bisect.bisect_right(revisions, last)]:
            yield first, revision, state
            event, first = checker.events[revision], revision
            if event.kind == "DELETED":
                state.pop(event.key, None)
            else:
                state[event.key] = (revision, event.value)
        yield first, last + 1, state
