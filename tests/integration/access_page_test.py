"""docs/access.md: its commands do what it says.

The blocks marked sh are run, section by section, each beside a server of its own. A comment after a command is a part
of what the command answers, whether it succeeds or not; a command without one must succeed. Blocks marked
`sh serve` say how the section's server is started; those marked `sh NAME` need that program.
"""

import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

import harness
import identity

PAGE = harness.ROOT / "docs" / "access.md"
BLOCK = re.compile(r"^```sh *([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
CONTINUED = re.compile(r"\\\n *")
SAYS = re.compile(r"^(.*\S)\s+# (.+)$")
PRELUDE = r"""set -euo pipefail
trap 'kill $(jobs -p) 2>/dev/null || true' EXIT
says() {
  local want=$1 got
  got=$(eval "$2" 2>&1) || true
  case $got in *"$want"*) ;; *) echo "$2: expected: $want, but it answers: $got" >&2; return 1 ;; esac
}
"""


def controller_manager():
    """kube-controller-manager, where there is one."""
    given = os.environ.get("KUBE_CONTROLLER_MANAGER")
    built = pathlib.Path(harness.BINARY).resolve().parent / "conformance" / "bin" / "kube-controller-manager"
    return given or (str(built) if built.exists() else shutil.which("kube-controller-manager"))


def script(text):
    """The commands of a block, each with what it must say."""
    lines, here_document = [], False
    for line in text.splitlines():
        said = None if here_document else SAYS.match(line)
        here_document = line != "END" if here_document else "<<END" in line
        lines.append(f"says {shlex.quote(said[2])} {shlex.quote(said[1])}" if said else line)
    return "\n".join(lines) + "\n"


def blocks_of(section):
    """[(mark, text)], with every command on one line."""
    return [(mark, CONTINUED.sub("", text)) for mark, text in BLOCK.findall(section)]


class Page:
    def __init__(self):
        self.intro, *sections = re.split(r"^## ", PAGE.read_text(), flags=re.MULTILINE)
        self.sections = {section.partition("\n")[0]: section for section in sections}


class AccessPage(unittest.TestCase):
    page = Page()

    def setUp(self):
        folder = tempfile.TemporaryDirectory(prefix="keelson-access-")
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        programs = self.folder / "bin"
        programs.mkdir()
        (programs / "keelson").symlink_to(pathlib.Path(harness.BINARY).resolve())
        (programs / "kubectl").symlink_to(shutil.which(os.environ.get("KUBECTL", "kubectl")))
        if controller_manager():
            (programs / "kube-controller-manager").symlink_to(controller_manager())
        self.env = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "HOME": folder.name, "PWD": folder.name}
        self.env.pop("KUBECONFIG", None)

    def run_section(self, title, programs=("",)):
        blocks = blocks_of(self.page.sections[title])
        flags = [re.sub(r"\$(\w+)", lambda name: self.env[name[1]], word)
                 for mark, text in blocks if mark == "serve" for word in shlex.split(text)[4:]]
        server = harness.Server("--controllers=*", *flags, data_dir=self.folder / ".keelson")
        self.addCleanup(server.close)
        server.start()
        # The controllers make these soon after the start, not at once.
        for path in ("serviceaccounts/default", "configmaps/kube-root-ca.crt"):
            harness.wait_until(lambda: server.get(f"/api/v1/namespaces/default/{path}").status == 200, path)
        text = PRELUDE + "".join(script(text) for mark, text in [*blocks_of(self.page.intro), *blocks]
                                 if mark in programs)
        with open(self.folder / "output", "w+") as output:
            done = subprocess.run(["bash", "-c", text], cwd=self.folder, env=self.env, stdin=subprocess.DEVNULL,
                                  stdout=output, stderr=subprocess.STDOUT, timeout=300)
            output.seek(0)
            self.assertEqual(done.returncode, 0, output.read()[-4000:])

    def test_every_section_is_tested(self):
        self.assertEqual(set(self.page.sections), {"A user who only reads", "A service account for CI",
                                                   "A login by OpenID Connect", "A kubelet"})

    def test_a_user_who_only_reads(self):
        self.run_section("A user who only reads")

    def test_a_service_account_for_ci(self):
        self.run_section("A service account for CI")

    def test_a_login_by_openid_connect(self):
        authority = identity.Authority("provider")
        self.addCleanup(authority.close)
        provider = identity.Provider(authority)
        self.addCleanup(provider.close)
        shutil.copy(authority.certificate, self.folder / "provider-ca.crt")
        self.env["ISSUER"] = provider.url
        self.env["ID_TOKEN"] = provider.token(aud="kubernetes", email="ann@example.com", email_verified=True,
                                              groups=["dev"])
        self.run_section("A login by OpenID Connect")

    def test_a_kubelet(self):
        self.run_section("A kubelet")

    @unittest.skipUnless(controller_manager(), "kube-controller-manager is not there")
    def test_a_kubelet_whose_request_is_signed(self):
        self.run_section("A kubelet", ("", "kube-controller-manager"))


if __name__ == "__main__":
    unittest.main()
