"""Container images that are made here: of programs that were compiled, and of Debian's packages.

An image is a docker archive, which containerd imports. It is made again when what it is made of has changed.
"""

import hashlib
import io
import json
import os
import pathlib
import subprocess
import tarfile

HERE = pathlib.Path(__file__).resolve().parent
PAUSE, COREDNS, BUSYBOX = (f"keelson.test/{name}" for name in ("pause:1", "coredns:1", "busybox:1"))

PAUSE_CONFIG = {"Entrypoint": ["/pause"], "User": "65535:65535"}


class Layer:
    """Files of an image, put together by hand. Everything belongs to root unless told otherwise."""

    def __init__(self):
        self._bytes = io.BytesIO()
        self._tar = tarfile.open(fileobj=self._bytes, mode="w")
        self._folders = set()

    def _add(self, path, data=None, **fields):
        for parent in reversed(pathlib.PurePosixPath(path).parents):
            if str(parent) not in ("/", ".") and parent not in self._folders:
                self.folder(parent)
        entry = tarfile.TarInfo(str(path).lstrip("/"))
        for name, value in fields.items():
            setattr(entry, name, value)
        if data is not None:
            entry.size = len(data)
        self._tar.addfile(entry, None if data is None else io.BytesIO(data))

    def folder(self, path, mode=0o755):
        self._folders.add(pathlib.PurePosixPath(path))
        self._add(path, type=tarfile.DIRTYPE, mode=mode)

    def file(self, path, data, mode=0o644, **fields):
        self._add(path, data if isinstance(data, bytes) else data.encode(), mode=mode, **fields)

    def link(self, path, target):
        self._add(path, type=tarfile.SYMTYPE, linkname=target)

    def program(self, path, source, mode=0o755):
        """A program of this machine, with the libraries that it is linked with."""
        self.file(path, pathlib.Path(source).read_bytes(), mode)
        for library in libraries(source):
            if pathlib.PurePosixPath(library) not in self._folders:
                self._folders.add(pathlib.PurePosixPath(library))
                self.file(library, pathlib.Path(library).read_bytes(), 0o755)

    def bytes(self):
        """The tar. Nothing can be added any more."""
        self._tar.close()
        return self._bytes.getvalue()


def libraries(program):
    """The files of the libraries that a program is linked with; none if it is static."""
    said = subprocess.run(["ldd", program], capture_output=True, text=True, check=False).stdout
    words = (word for line in said.splitlines() for word in line.split())
    return sorted({word for word in words if word.startswith("/")})


def write_archive(file, *made):
    """A docker archive of images: (names, layers, config) each, layers being the bytes of a tar or the file of one."""
    unfinished, manifests, written = file.with_suffix(".new"), [], set()
    with tarfile.open(unfinished, "w") as archive:
        for names, layers, config in made:
            hashes = []
            for layer in layers:
                data = layer if isinstance(layer, bytes) else layer.read_bytes()
                hashes.append(hashlib.sha256(data).hexdigest())
                if hashes[-1] not in written:
                    written.add(hashes[-1])
                    _put(archive, f"{hashes[-1]}.tar", data)
            described = json.dumps({
                "architecture": {"x86_64": "amd64", "aarch64": "arm64"}.get(os.uname().machine, os.uname().machine),
                "os": "linux", "config": config,
                "rootfs": {"type": "layers", "diff_ids": [f"sha256:{h}" for h in hashes]}}).encode()
            name = f"{hashlib.sha256(described).hexdigest()}.json"
            if name not in written:
                written.add(name)
                _put(archive, name, described)
            manifests.append({"Config": name, "RepoTags": names, "Layers": [f"{h}.tar" for h in hashes]})
        _put(archive, "manifest.json", json.dumps(manifests).encode())
    unfinished.rename(file)


def _put(archive, name, data):
    entry = tarfile.TarInfo(name)
    entry.size = len(data)
    archive.addfile(entry, io.BytesIO(data))


def _state_of(sources):
    """Changes when one of the files does, or this one."""
    state = [(str(path), os.stat(path).st_size, os.stat(path).st_mtime_ns) for path in (*sources, __file__)]
    return hashlib.sha256(repr(state).encode()).hexdigest()


class Images:
    """Archives in one folder."""

    def __init__(self, folder, bin_dir):
        self.folder, self.bin_dir = folder, bin_dir
        folder.mkdir(parents=True, exist_ok=True)

    def make(self, name, sources, write):
        """The archive `name`, written by write(file) unless it is there and the sources are what they were."""
        file, stamp, state = self.folder / f"{name}.tar", self.folder / f".{name}.stamp", _state_of(sources)
        if not (file.exists() and stamp.exists() and stamp.read_text() == state):
            print(f"making the image {name}", flush=True)
            write(file)
            stamp.write_text(state)
        return file

    def basic(self):
        """Those that every cluster has: of sandboxes, of its DNS server, and a small one to try things with."""
        return [self.pause([PAUSE]), self.coredns(), self.busybox([BUSYBOX])]

    def compile(self, source):
        """A program of one file, linked with nothing that an image would have to have."""
        program = self.folder / pathlib.Path(source).stem
        subprocess.run(["gcc", "-Os", "-static", "-s", "-o", program, source], check=True)
        return program

    def pause(self, names):
        def write(file):
            layer = Layer()
            layer.program("/pause", self.compile(HERE / "pause.c"))
            write_archive(file, (names, [layer.bytes()], PAUSE_CONFIG))

        return self.make("pause", [HERE / "pause.c"], write)

    def coredns(self):
        program = self.bin_dir / "coredns"

        def write(file):
            layer = Layer()
            layer.program("/coredns", program)
            write_archive(file, ([COREDNS], [layer.bytes()], {"Entrypoint": ["/coredns"]}))

        return self.make("coredns", [program], write)

    def busybox(self, names):
        """Debian's, whose applets are programs of their own."""
        program = pathlib.Path("/bin/busybox")

        def write(file):
            layer = Layer()
            layer.program("/bin/busybox", program)
            for applet in subprocess.run([program, "--list"], capture_output=True, text=True, check=True).stdout.split():
                if applet != "busybox":
                    layer.link(f"/bin/{applet}", "busybox")
            layer.folder("/tmp", 0o1777)
            layer.folder("/root", 0o700)
            layer.file("/etc/passwd", "root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534:nobody:/:/bin/false\n")
            layer.file("/etc/group", "root:x:0:\nnogroup:x:65534:\n")
            write_archive(file, (names, [layer.bytes()], {"Cmd": ["sh"], "Env": ["PATH=/bin:/usr/bin"]}))

        return self.make("busybox", [program], write)
