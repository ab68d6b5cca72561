"""What users let upstream's controllers do, as steps that either succeed or say what did not happen."""

import json
import subprocess
import time

IMAGES = ("registry.k8s.io/e2e-test-images/agnhost:2.53", "registry.k8s.io/e2e-test-images/agnhost:2.54")
PAUSE = ["/agnhost", "pause"]
REPLICAS = 100
STEP_SECONDS = 240


class StepFailed(Exception):
    pass


def pod_template(labels, command, **spec):
    return {"metadata": {"labels": labels},
            "spec": {"terminationGracePeriodSeconds": 0,
                     "containers": [{"name": "main", "image": IMAGES[0], "command": command,
                                     "resources": {"requests": {"cpu": "10m", "memory": "8Mi"}}}], **spec}}


def workload(kind, name, spec, command=PAUSE):
    labels = {"app": name}
    return {"apiVersion": "apps/v1", "kind": kind, "metadata": {"name": name},
            "spec": {"selector": {"matchLabels": labels}, "template": pod_template(labels, command), **spec}}


def job_spec(completions):
    return {"completions": completions, "parallelism": 2,
            "template": pod_template({"app": "job"}, ["sh", "-c", "exit 0"], restartPolicy="Never")}


class Round:
    """One pass over all kinds of workloads in a namespace of its own."""

    def __init__(self, cluster, namespace):
        self.cluster, self.namespace = cluster, namespace

    def run(self):
        self._kubectl("create", "namespace", self.namespace, namespaced=False)
        self._until("the namespace has its service account", "get", "serviceaccount", "default", "-o", "name")
        for step in (self.deployment, self.stateful_set, self.daemon_set, self.job, self.cron_job, self.autoscaler,
                     self.eviction):
            step()
        self._kubectl("delete", "namespace", self.namespace, "--wait=false", namespaced=False)
        self._until_gone("namespace", self.namespace)

    def deployment(self):
        """A rollout of a hundred pods, a new image, a scale-down, and the way back."""
        self._apply(workload("Deployment", "web", {"replicas": REPLICAS}))
        self._rolled_out("deployment/web", REPLICAS)
        self._kubectl("set", "image", "deployment/web", f"main={IMAGES[1]}")
        self._rolled_out("deployment/web", REPLICAS)
        self._kubectl("scale", "deployment/web", f"--replicas={REPLICAS // 5}")
        self._rolled_out("deployment/web", REPLICAS // 5)
        self._kubectl("rollout", "undo", "deployment/web")
        self._rolled_out("deployment/web", REPLICAS // 5)
        image = self._kubectl("get", "deployment", "web", "-o", "jsonpath={.spec.template.spec.containers[0].image}")
        if image != IMAGES[0]:
            raise StepFailed(f"rollout undo left the image {image}")
        self._until("only the wanted pods are left", "get", "pods", "-l", "app=web", "-o", "name",
                    met=lambda out: len(out.split()) == REPLICAS // 5)

    def stateful_set(self):
        self._apply({"apiVersion": "v1", "kind": "Service", "metadata": {"name": "db"},
                     "spec": {"clusterIP": "None", "selector": {"app": "db"}, "ports": [{"port": 80}]}})
        self._apply(workload("StatefulSet", "db", {"serviceName": "db", "replicas": 3}))
        self._rolled_out("statefulset/db", 3)
        self._kubectl("scale", "statefulset/db", "--replicas=1")
        self._until("the last ordinals are gone", "get", "pods", "-l", "app=db", "-o", "name",
                    met=lambda out: out.split() == ["pod/db-0"])

    def daemon_set(self):
        self._apply(workload("DaemonSet", "agent", {}))
        self._kubectl("rollout", "status", "daemonset/agent", f"--timeout={STEP_SECONDS}s")

    def job(self):
        self._apply({"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "once"}, "spec": job_spec(5)})
        self._kubectl("wait", "job/once", "--for=condition=Complete", f"--timeout={STEP_SECONDS}s")

    def cron_job(self):
        self._apply({"apiVersion": "batch/v1", "kind": "CronJob", "metadata": {"name": "each-minute"},
                     "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": job_spec(1)}}})
        self._until("the schedule has brought a job", "get", "jobs", "-o", "name",
                    met=lambda out: "job.batch/each-minute" in out)

    def autoscaler(self):
        self._kubectl("autoscale", "deployment", "web", "--min=2", "--max=4", "--cpu=50%")
        self._until("the autoscaler has conditions", "get", "hpa", "web", "-o", "jsonpath={.status.conditions[*].type}",
                    met=lambda out: "AbleToScale" in out)

    def eviction(self):
        """A budget that allows one disruption grants the first eviction and refuses a second."""
        self._rolled_out("deployment/web", 4)
        self._apply({"apiVersion": "policy/v1", "kind": "PodDisruptionBudget", "metadata": {"name": "web"},
                     "spec": {"minAvailable": 4, "selector": {"matchLabels": {"app": "web"}}}})
        self._until("the budget allows nothing", "get", "pdb", "web", "-o", "jsonpath={.status.currentHealthy}",
                    met=lambda out: out == "4")
        pod = self._kubectl("get", "pods", "-l", "app=web", "-o", "jsonpath={.items[0].metadata.name}")
        if self._evict(pod) == 0:
            raise StepFailed("an eviction that the budget forbids was granted")
        self._kubectl("patch", "pdb", "web", "--type=merge", "-p", '{"spec":{"minAvailable":3}}')
        self._until("the budget allows one", "get", "pdb", "web", "-o", "jsonpath={.status.disruptionsAllowed}",
                    met=lambda out: out == "1")
        if self._evict(pod) != 0:
            raise StepFailed("an eviction that the budget allows was refused")

    # ---- How it is said

    def _evict(self, pod):
        body = {"apiVersion": "policy/v1", "kind": "Eviction", "metadata": {"name": pod, "namespace": self.namespace}}
        return self._run("create", "--raw", f"/api/v1/namespaces/{self.namespace}/pods/{pod}/eviction", "-f", "-",
                         stdin=json.dumps(body), namespaced=False).returncode

    def _rolled_out(self, what, replicas):
        self._kubectl("rollout", "status", what, f"--timeout={STEP_SECONDS}s")
        self._until(f"{what} has {replicas} ready pods", "get", what, "-o", "jsonpath={.status.readyReplicas}",
                    met=lambda out: out == str(replicas))

    def _apply(self, manifest):
        self._kubectl("apply", "-f", "-", stdin=json.dumps(manifest))

    def _until(self, what, *args, met=bool):
        deadline = time.monotonic() + STEP_SECONDS
        while True:
            answer = self._run(*args)
            if answer.returncode == 0 and met(answer.stdout.strip()):
                return
            if time.monotonic() > deadline:
                raise StepFailed(f"not within {STEP_SECONDS} s: {what}: {answer.stdout[-300:]}{answer.stderr[-300:]}")
            time.sleep(0.5)

    def _until_gone(self, kind, name):
        deadline = time.monotonic() + STEP_SECONDS
        while "NotFound" not in self._run("get", kind, name, namespaced=False).stderr:
            if time.monotonic() > deadline:
                raise StepFailed(f"not within {STEP_SECONDS} s: {kind} {name} is gone")
            time.sleep(0.5)

    def _kubectl(self, *args, **kwargs):
        answer = self._run(*args, **kwargs)
        if answer.returncode != 0:
            raise StepFailed(f"kubectl {' '.join(args)}: {answer.stderr.strip()[-500:]}")
        return answer.stdout.strip()

    def _run(self, *args, stdin=None, namespaced=True):
        command = [self.cluster.bin_dir / "kubectl", "--kubeconfig", self.cluster.server.kubeconfig,
                   *(["--namespace", self.namespace] if namespaced else []), *args]
        return subprocess.run(command, input=stdin, capture_output=True, text=True)
