"""What the processes of a server have used, by the kernel's account."""

import os
import pathlib
import re


def resident(server):
    total = 0
    for process in server.processes:
        status = pathlib.Path(f"/proc/{process.pid}/status").read_text()
        total += int(re.search(r"VmRSS:\s+(\d+)", status).group(1)) << 10
    return total


def cpu_seconds(server):
    """What the processes have used so far, waiting not counted."""
    ticks = 0
    for process in server.processes:
        fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")
