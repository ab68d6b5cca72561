#!/usr/bin/env python3
"""The admission plug-ins that are off by default, on both servers: the same flags, the same requests.

    KUBE_APISERVER=path/to/kube-apiserver tests/compat/admission.py [--build DIR] [--only REGEX]

Sends the scenarios of plugins/*.txt to both, prints each answer that differs, and ends with 1 if one does.
kube-apiserver needs an etcd in $PATH.
"""

import argparse
import pathlib
import re
import sys

from lib import compare
from lib import runner
from lib import scenario
from lib import servers

HERE = pathlib.Path(__file__).resolve().parent
PLUGINS = ("AlwaysAdmit", "AlwaysPullImages", "DenyServiceExternalIPs", "ExtendedResourceToleration",
           "LimitPodHardAntiAffinityTopology", "NamespaceAutoProvision", "NamespaceExists",
           "OwnerReferencesPermissionEnforcement",
           # Their APIs are behind gates that are off.
           "ClusterTrustBundleAttest", "JobValidation", "PodGroupProtection", "PodGroupWorkloadExists")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--build", default=servers.ROOT / "build", type=pathlib.Path)
    parser.add_argument("--only", default="", help="a regular expression on scenario ids")
    options = parser.parse_args()
    chosen = [one for one in scenario.read_folder(HERE / "plugins") if re.search(options.only, one.id)]
    flags = ("--enable-admission-plugins=" + ",".join(PLUGINS),)
    with servers.Upstream(servers.upstream_binary(options.build), flags) as upstream:
        expected = runner.run_all(upstream, chosen)
    with servers.Keelson(options.build / "keelson", flags) as keelson:
        actual = runner.run_all(keelson, chosen)
    different = 0
    for case, answer in expected.items():
        found = compare.compare(answer, actual[case])
        different += bool(found)
        for difference in found:
            print(f"{case}: {difference}")
            if difference.where == "code":
                print(f"  kube-apiserver {answer}\n  keelson        {actual[case]}")
    print(f"{len(expected) - different} of {len(expected)} answers are the same")
    return 1 if different else 0


if __name__ == "__main__":
    sys.exit(main())
