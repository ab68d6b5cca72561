"""Runs many scenarios on a server, several at a time."""

import concurrent.futures
import os
import queue

from lib import normalize

WORKERS = 4 * (os.cpu_count() or 1)  # they mostly wait for the server


def run_all(server, scenarios, workers=WORKERS):
    """case id -> normalised answer."""
    clients = queue.SimpleQueue()
    for _ in range(workers):
        clients.put(server.client())

    def run(scenario):
        client = clients.get()
        try:
            answers = normalize.normalize(scenario, client.run(scenario))
        finally:
            clients.put(client)
        return [(scenario.case_id(step), answer) for step, answer in zip(scenario.steps, answers)]

    # The longest first, so that none is left running alone at the end.
    scenarios = sorted(scenarios, key=lambda scenario: -len(scenario.steps))
    try:
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            return dict(pair for pairs in pool.map(run, scenarios) for pair in pairs)
    finally:
        while not clients.empty():
            clients.get().close()
