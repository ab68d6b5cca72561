"""Runs many scenarios on a server, several at a time."""

import concurrent.futures
import os
import queue
import re

from lib import normalize

ALONE = "scenario/discovery/"  # run before the others, which define groups that these would list
WORKERS = 4 * (os.cpu_count() or 1)  # they mostly wait for the server


# Versions that no server serves by default.
PREVIEWS = ("--runtime-config=api/all=true",
            "--feature-gates=ClusterTrustBundle=true,DRADeviceTaintRules=true,DRAResourcePoolStatus=true,"
            "DRAWorkloadResourceClaims=true,GangScheduling=true,GenericWorkload=true,PodCertificateRequest=true,"
            "StorageVersionMigrator=true,TopologyAwareWorkloadScheduling=true,WorkloadAwarePreemption=true,"
            "WorkloadWithJob=true")
PREVIEW = re.compile(r"[^/]+/(v\d+(?:alpha|beta)\d+)/|scenario/previews/")
# Scenarios that need a server with other settings, by what their ids begin with.
FLAGS = {"podsecurity/": ("--allow-privileged=true",)}  # what is secured against must be valid


def run_everywhere(start, scenarios):
    """Runs them on servers that `start` makes, a function of flags. case id -> normalised answer."""
    groups = {}
    for scenario in scenarios:
        preview = PREVIEW.match(scenario.id)
        # Versions share the objects that are in no namespace, and those of one name would meet.
        groups.setdefault((flags_of(scenario), preview and preview[1]), []).append(scenario)
    answers = {}
    for (flags, _), group in groups.items():
        with start(flags) as server:
            answers |= run_all(server, group)
    return answers


def flags_of(scenario):
    if PREVIEW.match(scenario.id):
        return PREVIEWS
    return next((flags for prefix, flags in FLAGS.items() if scenario.id.startswith(prefix)), ())


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

    first = [scenario for scenario in scenarios if scenario.id.startswith(ALONE)]
    # The longest first, so that none is left running alone at the end.
    others = sorted((scenario for scenario in scenarios if scenario not in first),
                    key=lambda scenario: -len(scenario.steps))
    try:
        answers = dict(pair for scenario in first for pair in run(scenario))
        with concurrent.futures.ThreadPoolExecutor(workers) as pool:
            return answers | dict(pair for pairs in pool.map(run, others) for pair in pairs)
    finally:
        while not clients.empty():
            clients.get().close()
