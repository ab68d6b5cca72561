"""A pod that asks a service all the time, and what it is answered: the lines of its log, as `kubectl logs -f` tells them.

Lines have numbers, so that one that gets lost is noticed. The log comes through the API server: when that ends, the
follower asks its successor for the rest.
"""

import subprocess
import threading

import images

ANSWER_SECONDS = 10  # after which an ask has failed
PAUSE_SECONDS = 0.1  # between two asks: the machine is not there for them alone
SCRIPT = f"""
exec 2> /dev/null  # where the shell tells that an ask was ended
number=0
while :; do
  number=$((number + 1))
  if answer=$(timeout {ANSWER_SECONDS} wget -q -O - "http://$0/" 2>&1); then said=ok; else said="failed with $?:"; fi
  echo "$number $said" $answer
  sleep {PAUSE_SECONDS}
done
"""


def pod(name, node, address):
    return {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {
        "nodeSelector": {"kubernetes.io/hostname": node}, "terminationGracePeriodSeconds": 0,
        "containers": [{"name": "asker", "image": images.BUSYBOX, "command": ["sh", "-c", SCRIPT, address]}]}}


class Asker:
    """Follows the log of such a pod until it is closed. `kubectl` is the beginning of the command."""

    def __init__(self, kubectl, name):
        self._command = [*map(str, kubectl), "logs", name, "--follow", "--timestamps"]
        self.answers = []  # of the asks from the first on: (whether it was answered, the text)
        self.lost = []  # numbers of lines that were not told
        self.resumed = 0
        self._since = self._process = None
        self._closed = threading.Event()
        self._thread = threading.Thread(target=self._follow, daemon=True)
        self._thread.start()

    @property
    def asks(self):
        return len(self.answers)

    def failures(self, first=0):
        """Of the asks after that many."""
        return [f"{number}: {text}" for number, (answered, text) in enumerate(self.answers[first:], first + 1) if not answered]

    def close(self):
        self._closed.set()
        while self._thread.is_alive():  # it may have started kubectl once more before it saw that
            if self._process:
                self._process.kill()
            self._thread.join(0.1)

    def _follow(self):
        while not self._closed.wait(0.1):  # a server that is restarted is not there at once
            since = [f"--since-time={self._since}"] if self._since else []
            told = False
            with subprocess.Popen(self._command + since, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as kubectl:
                self._process = kubectl
                for line in kubectl.stdout:
                    told = True
                    self._take(line)
            self.resumed += told and not self._closed.is_set()

    def _take(self, line):
        time_told, number, said, *text = line.split(" ", 3)
        number = int(number)
        if number <= self.asks:
            return  # told before: what is asked for begins with a whole second
        for missing in range(self.asks + 1, number):
            self.lost.append(missing)
            self.answers.append((True, ""))
        self._since = time_told
        self.answers.append((said == "ok", " ".join(text).strip()))
