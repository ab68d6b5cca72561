"""The log in kube-apiserver's formats, and who decides how much is logged."""

import json
import re
import unittest

import harness

HEADER = re.compile(r'([IWEF])(\d{4}) (\d\d:\d\d:\d\d\.\d{6}) +(\d+) ([\w.]+\.cc):(\d+)\] ')
STRING = r'"(?:[^"\\]|\\.)*"'
MESSAGE = re.compile(STRING)
PAIR = re.compile(rf' ([\w-]+)=({STRING}|[^ "]+)')


def parse_text(line):
    """Severity, file, message and values of a line of klog's; fails on anything else."""
    header = HEADER.match(line)
    if not header:
        raise AssertionError(f"no header of klog: {line!r}")
    message = MESSAGE.match(line, header.end())
    values, at = {}, message.end()
    while at < len(line):
        pair = PAIR.match(line, at)
        if not pair:
            raise AssertionError(f"no value at {line[at:]!r} of {line!r}")
        values[pair[1]] = json.loads(pair[2])
        at = pair.end()
    return {"severity": header[1], "pid": int(header[4]), "file": header[5], "msg": json.loads(message[0]), **values}


def http_lines(lines):
    return [line for line in lines if line["msg"] == "HTTP"]


class Logs(unittest.TestCase):
    def start(self, *args):
        server = harness.Server("--storage-backend=memory", *args)
        self.addCleanup(server.close)
        return server.start()

    def text_lines(self, server):
        return [parse_text(line) for line in server.log().splitlines()]

    def json_lines(self, server):
        return [json.loads(line) for line in server.log().splitlines()]

    def check_http_line(self, line):
        self.assertEqual(list(line)[-12:], ["verb", "URI", "latency", "userAgent", "audit-ID", "srcIP", "apf_pl", "apf_fs",
                                            "apf_iseats", "apf_fseats", "apf_additionalLatency", "resp"])
        self.assertEqual((line["verb"], line["URI"], line["userAgent"], line["audit-ID"], line["resp"]),
                         ("LIST", "/api/v1/namespaces?limit=1", "a test/1.0", "one", 200))
        self.assertEqual((line["apf_pl"], line["apf_fs"]), ("exempt", "exempt"))
        self.assertRegex(line["latency"], r"^[0-9.]+(ns|\u00b5s|ms|s)$")
        self.assertRegex(line["srcIP"], r"^127\.0\.0\.1:\d+$")

    def list_namespaces(self, server):
        headers = {"User-Agent": "a test/1.0", "Audit-ID": "one"}
        self.assertEqual(server.get("/api/v1/namespaces?limit=1", headers=headers).status, 200)

    def test_every_line_of_the_text_format_is_klogs(self):
        server = self.start("--logging-format=text", "-v=3")
        self.list_namespaces(server)
        harness.wait_until(lambda: "limit=1" in server.log(), "a line of the request")
        lines = self.text_lines(server)
        self.assertEqual({line["pid"] for line in lines}, {server.process.pid})
        serving = next(line for line in lines if line["msg"] == "serving")
        self.assertEqual((serving["severity"], serving["file"], serving["storage"]), ("I", "app.cc", "memory"))
        line = next(line for line in http_lines(lines) if "limit=1" in line["URI"])
        self.assertEqual((line["severity"], line["file"]), ("I", "request_log.cc"))
        self.check_http_line(line)

    def test_every_line_of_the_json_format_is_upstreams(self):
        server = self.start("--logging-format=json", "-v=3")
        self.list_namespaces(server)
        harness.wait_until(lambda: "limit=1" in server.log(), "a line of the request")
        lines = self.json_lines(server)
        for line in lines:
            self.assertEqual(list(line)[:3], ["ts", "caller", "msg"])
            self.assertIsInstance(line["ts"], (int, float))
            self.assertRegex(line["caller"], r"^\w+/\w+\.cc:\d+$")
        line = next(line for line in http_lines(lines) if "limit=1" in line["URI"])
        self.assertEqual(line["v"], 3)
        self.assertTrue(line["caller"].startswith("filters/request_log.cc:"))
        self.check_http_line(line)

    def test_a_watch_is_told_when_it_ends_with_its_whole_head(self):
        server = self.start("--logging-format=json", "-v=3")
        path = "/api/v1/namespaces?watch=1&timeoutSeconds=1"
        self.assertEqual(server.get(path, headers={"User-Agent": "watcher"}).status, 200)
        harness.wait_until(lambda: "watcher" in server.log(), "a line of the watch")
        line = next(line for line in http_lines(self.json_lines(server)) if line["userAgent"] == "watcher")
        self.assertEqual((line["verb"], line["URI"]), ("WATCH", path))

    def test_a_file_has_a_verbosity_of_its_own(self):
        server = self.start("--logging-format=text", "--vmodule=request_*=3")
        self.list_namespaces(server)
        harness.wait_until(lambda: "limit=1" in server.log(), "a line of the request")
        quiet = self.start("--logging-format=text", "--vmodule=cacher=9")
        self.list_namespaces(quiet)
        self.assertEqual(http_lines(self.text_lines(quiet)), [])

    def test_the_verbosity_is_changed_while_it_runs(self):
        server = self.start("--logging-format=json", "-v=2")
        self.list_namespaces(server)
        answer = server.request("PUT", "/debug/flags/v", "3")
        self.assertEqual(answer.text, "successfully set klog.logging.verbosity to 3\n")
        server.get("/version?limit=71")
        harness.wait_until(lambda: "/version?limit=71" in server.log(), "a line of the request")
        self.assertEqual(server.request("PUT", "/debug/flags/v", "2").status, 200)
        server.get("/version?limit=72")
        self.assertEqual(server.request("PUT", "/debug/flags/v", "3").status, 200)
        server.get("/version?limit=73")
        harness.wait_until(lambda: "/version?limit=73" in server.log(), "a line of the request")
        told = [line["URI"] for line in http_lines(self.json_lines(server))]
        self.assertNotIn("/api/v1/namespaces?limit=1", told)
        self.assertNotIn("/version?limit=72", told)

    def test_parameters_that_may_carry_secrets_are_not_told(self):
        server = self.start("--logging-format=json", "-v=3")
        server.get("/api/v1/pods?access_token=s3cret&limit=5&labelSelector=a%3Ds3cret&watch=0")
        harness.wait_until(lambda: "/api/v1/pods?limit=5&watch=0" in server.log(), "a line of the request")
        server.get("/api/v1/namespaces/default/services/x/proxy/y?limit=s3cret")
        harness.wait_until(lambda: "/services/x/proxy/y" in server.log(), "a line of the request")
        self.assertNotIn("s3cret", server.log())

    def test_streams_are_split_behind_the_alpha_gate(self):
        server = self.start("--logging-format=json", "--feature-gates=LoggingAlphaOptions=true",
                            "--log-json-split-stream", "-v=3")
        self.list_namespaces(server)
        harness.wait_until(lambda: any("limit=1" in line for line in server.stdout_lines), "a line on stdout")
        told = [json.loads(line) for line in server.stdout_lines if line.startswith("{")]
        self.assertIn("serving", [line["msg"] for line in told])
        self.assertEqual([line for line in self.json_lines(server) if "v" in line], [])


if __name__ == "__main__":
    unittest.main()
