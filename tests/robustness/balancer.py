"""A TCP balancer: one address, several servers behind it. It asks each for /readyz, as balancers in front of API servers
do, gives new connections to those that are ready in turn, and leaves alone the connections that a server has."""

import asyncio
import itertools
import ssl
import threading

CHECK_INTERVAL = 0.1
CHECK_TIMEOUT = 2
CONNECT_TIMEOUT = 2


class Balancer:
    """Threads: any may ask; everything else happens on a loop of its own.

    `ports` are those of the servers, on this machine. `tls` trusts them.
    """

    def __init__(self, ports, tls):
        self._tls = tls
        self._ready = {port: False for port in ports}
        self._turn = itertools.count()
        self._tasks = set()
        self._closing = False
        self._loop = asyncio.new_event_loop()
        self.port = None
        started = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(started,), daemon=True)
        self._thread.start()
        started.wait()

    def is_ready(self, port):
        return self._ready[port]

    def close(self):
        self._closing = True
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self, started):
        asyncio.set_event_loop(self._loop)
        listener = self._loop.run_until_complete(asyncio.start_server(self._serve, "127.0.0.1", 0))
        self.port = listener.sockets[0].getsockname()[1]
        checks = [self._loop.create_task(self._check(port)) for port in self._ready]
        started.set()
        self._loop.run_forever()
        listener.close()
        for task in (*checks, *self._tasks):
            task.cancel()
        # Bounded: a check whose timeout comes together with the cancellation may not notice the latter.
        self._loop.run_until_complete(asyncio.wait([*checks, *self._tasks], timeout=CHECK_TIMEOUT + CHECK_INTERVAL))
        self._loop.close()

    async def _check(self, port):
        while not self._closing:
            try:
                self._ready[port] = await asyncio.wait_for(self._ask(port), CHECK_TIMEOUT)
            except (OSError, asyncio.TimeoutError, asyncio.IncompleteReadError, ssl.SSLError):
                self._ready[port] = False
            await asyncio.sleep(CHECK_INTERVAL)

    async def _ask(self, port):
        reader, writer = await asyncio.open_connection("127.0.0.1", port, ssl=self._tls, server_hostname="127.0.0.1")
        try:
            writer.write(b"GET /readyz HTTP/1.1\r\nHost: balancer\r\nConnection: close\r\n\r\n")
            return (await reader.readuntil(b"\r\n")).split()[1] == b"200"
        finally:
            writer.close()

    async def _serve(self, reader, writer):
        task = asyncio.current_task()
        self._tasks.add(task)
        try:
            far = await self._connect()
            if far:
                await asyncio.gather(self._copy(reader, far[1]), self._copy(far[0], writer))
        except asyncio.CancelledError:
            pass  # the balancer ends
        finally:
            self._tasks.discard(task)
            writer.close()

    async def _connect(self):
        """To a server that is ready, each in its turn; None when nobody answers."""
        ports = [port for port, ready in self._ready.items() if ready]
        first = next(self._turn)
        for i in range(len(ports)):
            try:
                connecting = asyncio.open_connection("127.0.0.1", ports[(first + i) % len(ports)])
                return await asyncio.wait_for(connecting, CONNECT_TIMEOUT)
            except (OSError, asyncio.TimeoutError):
                continue
        return None

    @staticmethod
    async def _copy(reader, writer):
        try:
            while data := await reader.read(1 << 16):
                writer.write(data)
                await writer.drain()
        except OSError:
            pass
        finally:
            writer.close()
