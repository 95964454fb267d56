"""A cable between two network namespaces that loses, delays or holds back packets. Linux only, for root.

Prints a line with the process ids that hold the first and the second namespace, 10.77.0.1 and 10.77.0.2, and takes lines:
`loss SHARE`, `delay SECONDS` (in each direction), `cut`, `cut PORT...` (only TCP packets from or to one of these), `whole`,
`carried PORT...`, answered by a line with the bytes of data that came from or to these ports so far. Ends with its stdin. Exits with 3 where the system does not let it make one.
"""

import ctypes
import fcntl
import heapq
import os
import random
import select
import socket
import struct
import subprocess
import sys
import time
from collections import Counter

CLONE_NEWNET = 0x40000000
TUNSETIFF = 0x400454CA
IFF_TUN, IFF_NO_PI = 0x0001, 0x1000
TCP = 6
MOST_BYTES = 65536


def hold_namespace(address: str, to_parent: socket.socket) -> None:
    """In a process of its own: a namespace with a network device, whose descriptor goes to the parent."""
    libc = ctypes.CDLL(None, use_errno=True)
    if libc.unshare(CLONE_NEWNET) != 0:
        raise OSError(ctypes.get_errno(), "unshare")
    device = os.open("/dev/net/tun", os.O_RDWR | os.O_NONBLOCK)
    fcntl.ioctl(device, TUNSETIFF, struct.pack("16sH", b"cable", IFF_TUN | IFF_NO_PI))
    for command in ("link set lo up", f"addr add {address}/24 dev cable", "link set cable up"):
        subprocess.run(["ip", *command.split()], check=True)
    wait_for(address)
    socket.send_fds(to_parent, [b"."], [device])
    os.close(device)
    # Until the parent ends.
    to_parent.recv(1)


def wait_for(address: str) -> None:
    """Until a program can listen there, which may take a moment."""
    for _ in range(500):
        with socket.socket() as probe:
            try:
                probe.bind((address, 0))
                return
            except OSError:
                time.sleep(0.01)
    raise OSError(f"{address} is not there")


def start(address: str, others: list[socket.socket]) -> tuple[int, int, socket.socket]:
    """-> process id, descriptor of its device, connection that keeps it alive"""
    here, there = socket.socketpair()
    pid = os.fork()
    if pid == 0:
        here.close()
        for other in others:
            other.close()
        status = 0
        try:
            hold_namespace(address, there)
        except (OSError, subprocess.CalledProcessError) as error:
            print(error, file=sys.stderr)
            status = 3
        os._exit(status)
    there.close()
    received, devices, _, _ = socket.recv_fds(here, 1, 1)
    if not received:
        sys.exit(3)
    return pid, devices[0], here


def tcp_of(packet: bytes) -> tuple[set[int], int]:
    """-> its ports, bytes of data; none, 0 for what is no TCP packet"""
    if packet[0] >> 4 != 4 or packet[9] != TCP:
        return set(), 0
    header = (packet[0] & 15) * 4
    header_bytes = header + (packet[header + 12] >> 4) * 4
    return set(struct.unpack_from("!HH", packet, header)), len(packet) - header_bytes


class Cable:
    def __init__(self) -> None:
        self.loss, self.delay = 0.0, 0.0
        self.cut: set[int] | None = None  # ports; none of them: all
        self.waiting: list[tuple[float, int, int, bytes]] = []
        self.count = 0
        self.carried: Counter[int] = Counter()  # bytes of data by port

    def obey(self, line: str) -> None:
        word, *values = line.split()
        if word == "loss":
            self.loss = float(values[0])
        elif word == "delay":
            self.delay = float(values[0])
        elif word == "cut":
            self.cut = {int(value) for value in values}
        elif word == "carried":
            print(sum(self.carried[int(value)] for value in values), flush=True)
        else:
            self.loss, self.delay, self.cut = 0.0, 0.0, None

    def take(self, packet: bytes, to: int) -> None:
        ports, size = tcp_of(packet)
        held = self.cut is not None and (not self.cut or bool(self.cut & ports))
        if held or random.random() < self.loss:
            return
        self.carried.update(dict.fromkeys(ports, size))
        self.count += 1
        heapq.heappush(self.waiting, (time.monotonic() + self.delay, self.count, to, packet))

    def give(self) -> float | None:
        """-> seconds until the next one is due"""
        while self.waiting and self.waiting[0][0] <= time.monotonic():
            _, _, to, packet = heapq.heappop(self.waiting)
            try:
                os.write(to, packet)
            except BlockingIOError:
                pass  # as if lost: the device is full
        return max(0.0, self.waiting[0][0] - time.monotonic()) if self.waiting else None


def main() -> None:
    random.seed(1)
    first, one, keep_first = start("10.77.0.1", [])
    second, two, _keep_second = start("10.77.0.2", [keep_first])
    print(first, second, flush=True)
    cable, orders = Cable(), b""
    while True:
        ready, _, _ = select.select([one, two, 0], [], [], cable.give())
        for device in ready:
            data = os.read(device, MOST_BYTES)
            if device != 0:
                cable.take(data, two if device == one else one)
                continue
            if not data:
                return
            *lines, orders = (orders + data).split(b"\n")
            for line in lines:
                cable.obey(line.decode())


main()
