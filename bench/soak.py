#!/usr/bin/env python3
"""Soaks a server: load, slow clients, giant bodies and cancelled searches; its memory must stay flat.

    bench/soak.py PROGRAM [SECONDS]      PROGRAM: build/release/ridgeline; 600 seconds unless given
"""
import http.client
import json
import re
import socket
import subprocess
import sys
import threading
import time

MODELS = ["llama-3.1-8b", "llama-3.1-70b", "mixtral-8x7b", "gemma-2-27b", "deepseek-v3"]


def resident_kb(pid):
    with open(f"/proc/{pid}/status", encoding="ascii") as status:
        return int(re.search(r"VmRSS:\s+(\d+)", status.read())[1])


class Soak:
    def __init__(self, port, end):
        self.port, self.end = port, end
        self.counts, self.errors = {}, []
        self.lock = threading.Lock()

    def note(self, kind, status, due):
        with self.lock:
            self.counts[kind, status] = self.counts.get((kind, status), 0) + 1
            if status not in due:
                self.errors.append((kind, status))

    def until_the_end(self, kind, due, ask, pause):
        turn = 0
        while time.monotonic() < self.end:
            try:
                status = ask(turn)
            except OSError as error:
                status = type(error).__name__
            self.note(kind, status, due)
            turn += 1
            time.sleep(pause)

    def post(self, command, body, timeout=90):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        connection.request("POST", f"/v1/{command}", body, {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        connection.close()
        return answer.status

    def inspect(self, turn):
        plan = {"tp": 2 ** (turn % 6), "cp": 2 ** (turn // 6 % 5)}
        case = {"model": MODELS[turn % 5], "context": 1024 * (1 + turn % 97), "plan": plan}
        return self.post("inspect", json.dumps(case))

    def explore(self, turn):
        page = {"depth": "coarse", "thin": 64, "columns": True, "heat_map": ["plan.tp", "plan.cp"]}
        case = {"model": MODELS[turn % 5], "context": "32k", **(page if turn % 2 else {})}
        return self.post("explore", json.dumps(case))

    def giant(self, _):
        try:
            return self.post("inspect", b" " * 20_000_000)
        except (BrokenPipeError, ConnectionResetError):
            return "closed"  # refused before all of it was sent

    def wrong(self, turn):
        return self.post("inspect", ['{"model": "x"}', "{", "[" * 500, '{"plan": 3}'][turn % 4])

    def slow(self, _):
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            connection.settimeout(30)
            for byte in b"POST /v1/inspect HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Le":
                connection.send(bytes([byte]))
                time.sleep(0.05)
        return "left"

    def unread(self, _):
        """Asks for an answer of megabytes and does not read it: the server gives up."""
        body = json.dumps({"model": "llama-3.1-70b", "depth": "balanced", "points": True})
        with socket.socket() as connection:
            connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
            connection.connect(("127.0.0.1", self.port))
            head = f"POST /v1/explore HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: {len(body)}"
            connection.send(f"{head}\r\n\r\n{body}".encode())
            time.sleep(8)
        return "left"

    def cancelled(self, _):
        body = json.dumps({"model": "llama-3.1-70b", "depth": "coarse", "plans": "full"})
        head = "POST /v1/explore HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: text/event-stream\r\n"
        with socket.create_connection(("127.0.0.1", self.port)) as connection:
            connection.send(f"{head}Content-Length: {len(body)}\r\n\r\n{body}".encode())
            connection.recv(10)
        return "left"


def main():
    program, seconds = sys.argv[1], float(sys.argv[2]) if len(sys.argv) > 2 else 600
    server = subprocess.Popen([program, "serve", "--port", "0", "--no-browser"],
                              stdout=subprocess.PIPE, text=True)
    port = int(re.search(r":(\d+)/", server.stdout.readline())[1])
    soak = Soak(port, time.monotonic() + seconds)
    work = [("inspect", {200}, soak.inspect, 0)] * 4 + [
        ("explore", {200, 503}, soak.explore, 0.1), ("giant", {413, "closed"}, soak.giant, 1),
        ("wrong", {400}, soak.wrong, 0.1), ("slow", {"left"}, soak.slow, 0),
        ("unread", {"left"}, soak.unread, 2),
        ("cancelled", {"left"}, soak.cancelled, 0.5)]
    threads = [threading.Thread(target=soak.until_the_end, args=each) for each in work]
    for thread in threads:
        thread.start()
    memory = []
    while time.monotonic() < soak.end:
        time.sleep(seconds / 20)
        memory.append(resident_kb(server.pid) // 1024)
    for thread in threads:
        thread.join()
    server.terminate()
    status = server.wait(timeout=10)
    for (kind, answer), count in sorted(soak.counts.items(), key=str):
        print(f"{kind:10} {answer!s:8} {count:8}")
    print("memory, MB:", *memory)
    print("exit status", status, "- errors not due:", soak.errors[:5] or "none")
    return 1 if soak.errors or status != 0 else 0


if __name__ == "__main__":
    sys.exit(main())
