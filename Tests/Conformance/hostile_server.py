"""A server that sends any bytes as its answer, over plain HTTP or TLS, and counts the requests that it gets."""

import contextlib
import socket
import ssl
import struct
import threading

from hostile_messages import END_STREAM, HEADERS, PING, SETTINGS, frame

PREFACE = b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"


class Server:
    """Answers each request with what `respond` gives for it; see `hostile_messages.Answer`.

    `respond(request)` gets a dictionary with the protocol, and of HTTP/1.1 the head and the body.
    """

    def __init__(self, respond, context=None):
        self.respond = respond
        self.context = context
        self.socket = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self.socket.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.socket.accept()
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.settimeout(60)
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with contextlib.suppress(OSError, EOFError), connection:
            if self.context:
                connection = self.context.wrap_socket(connection, server_side=True)
            with connection:
                reader = connection.makefile("rb")
                if self.context and connection.selected_alpn_protocol() == "h2":
                    self.serve_frames(connection, reader)
                else:
                    while self.serve_request(connection, reader):
                        pass

    def serve_request(self, connection, reader):
        """Answers one request; whether the connection stays open."""
        head = b""
        while not head.endswith(b"\r\n\r\n"):
            line = reader.readline()
            if not line:
                return False
            head += line
        length = next((int(line[15:]) for line in head.split(b"\r\n") if line.lower().startswith(b"content-length:")), 0)
        return deliver(connection, self.respond({"protocol": "http/1.1", "head": head, "body": reader.read(length)}))

    def serve_frames(self, connection, reader):
        """Answers requests over HTTP/2 until the connection ends."""
        if reader.read(len(PREFACE)) != PREFACE:
            return
        connection.sendall(frame(SETTINGS, 0, 0))
        while True:
            start = reader.read(9)
            if len(start) < 9:
                return
            kind, flags = start[3:5]
            stream = struct.unpack(">I", start[5:])[0]
            payload = reader.read(int.from_bytes(start[:3], "big"))
            if kind == SETTINGS and not flags & 1:
                connection.sendall(frame(SETTINGS, 1, 0))
            elif kind == PING and not flags & 1:
                connection.sendall(frame(PING, 1, 0, payload))
            elif kind in (0, HEADERS) and flags & END_STREAM:
                answer = self.respond({"protocol": "h2"})
                # The stream has a number in the answer that no other part has.
                sizes = [len(piece) for piece in answer.pieces]
                text = b"".join(answer.pieces).replace(b"\0\0\x11\x11", struct.pack(">I", stream))
                starts = [sum(sizes[:index]) for index in range(len(sizes))]
                answer.pieces = [text[start : start + size] for start, size in zip(starts, sizes)]
                if not deliver(connection, answer):
                    return


def deliver(connection, answer):
    """Sends an answer and ends as it says; whether the connection stays open."""
    try:
        for piece in answer.pieces:
            if piece:
                connection.sendall(piece)
    except OSError:
        return False
    if answer.ending == "reset":
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    elif answer.ending == "close" and isinstance(connection, ssl.SSLSocket):
        # The farewell, without waiting for the client's.
        connection.setblocking(False)
        with contextlib.suppress(OSError):
            connection.unwrap()
    return answer.ending == "keep"
