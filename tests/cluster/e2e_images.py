"""The images of upstream's end-to-end suite, by the names it asks for, made of Debian's packages and Go modules.

Those that conformance specs run are made. All have one root file system, Debian's, and differ in what is added to it: their
programs are the ones that upstream's images have, the tools beside them are Debian's.
"""

import pathlib
import subprocess
import tarfile

import images

PROGRAMS = ["agnhost", "nonewprivs", "sample-apiserver", "etcd"]
PACKAGES = ["bind9-dnsutils", "ca-certificates", "curl", "iproute2", "iputils-ping", "netcat-openbsd", "nginx-light", "procps",
            "wget"]
BUSYBOX = "/bin/busybox"
SHELL = images.HERE / "sh.c"
PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


def wanted(bin_dir):
    """The names that the suite asks for: {name without host and version: [names]}."""
    listed = subprocess.run([bin_dir / "e2e.test", "--list-images"], capture_output=True, text=True, check=True).stdout
    by_name = {}
    for name in listed.split():
        by_name.setdefault(name.partition("/")[2].rpartition(":")[0], []).append(name)
    return by_name


def root_of_debian(file):
    """A tar of a Debian of this machine's release, from where it has its packages from."""
    release = dict(line.split("=", 1) for line in pathlib.Path("/etc/os-release").read_text().splitlines() if "=" in line)
    folder = pathlib.Path("/etc/apt/sources.list.d")
    sources = [pathlib.Path("/etc/apt/sources.list"), *folder.glob("*.list"), *folder.glob("*.sources")]
    users = ("useradd --uid 1000 user-defined-in-image && groupadd --gid 50000 group-defined-in-image && "
             "usermod --append --groups group-defined-in-image user-defined-in-image && mkdir -p /uploads")
    print("making Debian's root file system for images", flush=True)
    subprocess.run(["mmdebstrap", "--quiet", "--mode=root", "--variant=minbase", f"--include={','.join(PACKAGES)}",
                    f'--customize-hook=chroot "$1" sh -c "{users}"',
                    # Variables whose names have dashes get lost in dash.
                    '--customize-hook=ln -sf bash "$1/bin/sh"', '--customize-hook=rm -rf "$1/var/cache/apt" "$1/var/lib/apt/lists"',
                    release["VERSION_CODENAME"], file, *(source for source in sources if source.exists())], check=True)


def self_signed():
    """(certificate, key) of localhost."""
    key = subprocess.run(["openssl", "genrsa", "2048"], capture_output=True, check=True).stdout
    certificate = subprocess.run(["openssl", "req", "-x509", "-key", "/dev/stdin", "-days", "3650", "-subj", "/CN=localhost",
                                  "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1,IP:::1"],
                                 input=key, capture_output=True, check=True).stdout
    return certificate, key


def make(made):
    """The archive with all of them. `made` is an images.Images whose programs were built, e2e.test among them."""
    root = made.folder / "debian.tar"
    made.make("debian", [__file__], root_of_debian)
    programs = {name: made.bin_dir / name for name in PROGRAMS}
    pause = made.pause([images.PAUSE])

    def write(file):
        names = wanted(made.bin_dir)

        def image(name, layer, **config):
            return names[name], [root, *([layer.bytes()] if layer else [])], {"Env": [PATH], **config}

        def with_program(path, name, mode=0o755):
            layer = images.Layer()
            layer.program(path, programs[name], mode)
            return layer

        agnhost = with_program("/agnhost", "agnhost")
        agnhost.link("/agnhost-2", "agnhost")
        # The certificate and key of agnhost's HTTPS server; specs also read the certificate as a file.
        certificate, key = self_signed()
        agnhost.file("/localhost.crt", certificate)
        agnhost.file("/localhost.key", key)
        # A spec that mounts an image as a volume looks for these words.
        agnhost.file("/etc/os-release", 'NAME="Alpine Linux"\nID=alpine\n')
        empty = images.Layer()
        empty.program("/pause", made.folder / "pause")
        web = {"Cmd": ["nginx", "-g", "daemon off;"], "StopSignal": "SIGQUIT"}
        images.write_archive(
            file,
            (names["pause"], [empty.bytes()], images.PAUSE_CONFIG),
            image("e2e-test-images/agnhost", agnhost, Entrypoint=["/agnhost"], Cmd=["pause"], WorkingDir="/"),
            image("e2e-test-images/busybox", busybox(root, made.compile(SHELL)), Cmd=["sh"]),
            image("e2e-test-images/perl", None, Cmd=["perl"]),
            image("e2e-test-images/glibc-dns-testing", None, Cmd=["sh"]),
            image("e2e-test-images/nginx", None, **web),
            image("e2e-test-images/nonroot", None, Cmd=["sh"], User="1234"),
            image("e2e-test-images/nonewprivs", with_program("/usr/local/bin/nnp", "nonewprivs", 0o6755), Cmd=["nnp"]),
            image("e2e-test-images/sample-apiserver", with_program("/sample-apiserver", "sample-apiserver"),
                  Entrypoint=["/sample-apiserver"]),
            image("etcd", with_program("/usr/local/bin/etcd", "etcd"), Cmd=["etcd"]),
            *pictures(image, agnhost, ("kitten", "nautilus")))

    return [pause, made.make("e2e", [__file__, SHELL, root, *programs.values(), made.bin_dir / "e2e.test"], write)]


def busybox(root, shell):
    """Debian's busybox, for what Debian has no program for, and for what is expected in another folder."""
    layer = images.Layer()
    layer.file("/usr/bin/busybox", pathlib.Path(BUSYBOX).read_bytes(), 0o755)
    layer.program("/usr/bin/sh", shell)
    with tarfile.open(root) as tar:
        present = {path.name: path.parent.name for path in map(pathlib.PurePosixPath, tar.getnames())
                   if str(path.parent) in ("usr/bin", "usr/sbin")}
    applets = subprocess.run([BUSYBOX, "--list"], capture_output=True, text=True, check=True).stdout.split()
    for applet in applets:
        if applet not in (*present, "busybox"):
            layer.link(f"/usr/bin/{applet}", "busybox")
        elif present.get(applet) == "sbin":
            layer.link(f"/usr/bin/{applet}", f"../sbin/{applet}")
    return layer


def pictures(image, agnhost, names):
    """Those that a spec changes from one to the other, and asks which of them it sees."""
    program = agnhost.bytes()
    for name in names:
        layer = images.Layer()
        layer.file("/data.json", f'{{"image": "{name}.jpg"}}\n')
        tags, layers, config = image(f"e2e-test-images/{name}", layer, Entrypoint=["/agnhost"], Cmd=["test-webserver"],
                                     WorkingDir="/")
        yield tags, [layers[0], program, layers[1]], config
