"""Answers of servers over HTTP/1.1 and HTTP/2: whole ones, cut ones, and ones that are wrong anywhere."""

import gzip
import random
import struct
import zlib
from dataclasses import dataclass

LIMIT = 1_000_000
END_STREAM, END_HEADERS, PADDED = 1, 4, 8
DATA, HEADERS, RST_STREAM, SETTINGS, PUSH_PROMISE, PING, GOAWAY, WINDOW_UPDATE, CONTINUATION = 0, 1, 3, 4, 5, 6, 7, 8, 9


@dataclass
class Answer:
    """What a server sends, how it ends, and what a client may make of it."""

    name: str
    pieces: list
    # "keep" the connection open, "close" it, "drop" it without TLS's farewell, or "reset" it.
    ending: str = "keep"
    # (status, body), "failure", a failure's reason, or None for anything.
    expected: object = None
    # (status, body), which a client may also find in an answer that is cut off at its end.
    whole: object = None


def answer(seed, number, protocol):
    """The answer of that number."""
    chance = random.Random(f"{seed} {number} {protocol}")
    if chance.random() < 0.1:
        return special(chance) if protocol == "http/1.1" else special_frames(chance)
    name, parts, expected, ending = chance.choice(H2 if protocol == "h2" else H1)(chance)
    whole = b"".join(parts)
    kind = chance.random()
    if kind < 0.2:
        return Answer(name, pieces(chance, whole), ending, expected)
    if kind < 0.5:
        cut = chance.randrange(len(whole))
        ending = chance.choice(["close", "drop", "reset"])
        # A body that the end of the connection ends cannot miss anything.
        is_open = expected is None or name == "until close"
        sent = pieces(chance, whole[:cut])
        return Answer(f"{name}, cut at {cut}", sent, ending, None if is_open else "failure", expected)
    for _ in range(chance.choice([1, 1, 1, 2, 5])):
        whole = mutated(chance, whole, protocol)
    return Answer(f"{name}, mutated", pieces(chance, whole), chance.choice(["close", "close", "drop", "reset"]))


def pieces(chance, text):
    """The text in a few parts, sometimes byte by byte."""
    if chance.random() < 0.03 and len(text) < 400:
        return [text[index : index + 1] for index in range(len(text))]
    cuts = sorted(chance.randrange(len(text) + 1) for _ in range(chance.choice([0, 0, 0, 1, 3])))
    return [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)])]


def mutated(chance, text, protocol):
    """The text with one mistake."""
    at = chance.randrange(len(text) + 1)
    end = min(len(text), at + chance.choice([1, 1, 2, 4, 16]))
    match chance.randrange(7):
        case 0:
            return text[:at] + text[end:]
        case 1:
            return text[:at] + text[at:end] * chance.choice([2, 3, 50]) + text[end:]
        case 2:
            return text[:at] + chance.randbytes(end - at) + text[end:]
        case 3:
            return text[:at] + bytes([chance.choice(b"\0\r\n :;,\t\x7f\xff0f9-+")]) + text[end:]
        case 4:
            return text[:at] + chance.choice(VALUES) + text[at:]
        case 5 if protocol == "http/1.1":
            # A number elsewhere in the head or in a chunk.
            number = chance.choice(NUMBERS)
            for word in (b"Content-Length: 11", b"200 ", b"\r\nb\r\n", b"HTTP/1.1"):
                if word in text and chance.random() < 0.5:
                    return text.replace(word, word.rstrip(b"0123456789b\r\n ") + number, 1)
            return text[:at] + number + text[end:]
        case _:
            # A bit of a length or a kind of a frame.
            at = min(at, len(text) - 1)
            return text[:at] + bytes([text[at] ^ (1 << chance.randrange(8))]) + text[at + 1 :]


NUMBERS = [
    b"-1", b"0", b"9223372036854775807", b"9223372036854775808", b"18446744073709551616", b"99999999999999999999999",
    b"0x10", b"+5", b"1e3", b"ffffffffffffffff", b"7fffffffffffffff", b"80000000", b"000000000000000000b", b" ", b"",
]  # fmt: skip
VALUES = [
    b"\r\n", b"\r\n\r\n", b"\n\n", b"\0", b"Content-Length: 3\r\n", b"Transfer-Encoding: chunked\r\n", b"\r\n folded\r\n",
    b"Content-Encoding: gzip\r\n", b"Content-Encoding: br, zstd, gzip, x\r\n", b"Connection: close\r\n", b"x" * 70_000,
    b"Trailer: x\r\n", b"Upgrade: h2c\r\n", b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 100 Continue\r\n\r\n", b"\xc3\x28",
]  # fmt: skip

BODY = b"hello world"


def head(status, *lines):
    return b"\r\n".join([b"HTTP/1.1 " + status, *lines, b"", b""])


def chunked(text, chance):
    size = chance.choice([1, 3, 11, 4096])
    parts = [text[index : index + size] for index in range(0, len(text), size)]
    return b"".join(b"%x%s\r\n%s\r\n" % (len(part), chance.choice([b"", b";a=b"]), part) for part in parts) + b"0\r\n\r\n"


def with_length(chance):
    return "a length", [head(b"200 OK", b"Content-Type: text/plain", b"Content-Length: 11"), BODY], (200, BODY), "keep"


def in_chunks(chance):
    return "chunks", [head(b"200 OK", b"Transfer-Encoding: chunked"), chunked(BODY, chance)], (200, BODY), "keep"


def with_trailers(chance):
    end = b"b\r\nhello world\r\n0\r\nDigest: x\r\nOther: y\r\n\r\n"
    return "trailers", [head(b"200 OK", b"Transfer-Encoding: chunked"), end], (200, BODY), "keep"


def until_close(chance):
    return "until close", [head(b"200 OK", b"Content-Type: text/plain"), BODY], (200, BODY), "close"


def compressed(chance):
    text = bytes(chance.randrange(97, 100) for _ in range(chance.choice([0, 11, 5000])))
    name, body = chance.choice([(b"gzip", gzip.compress(text, mtime=0)), (b"deflate", zlib.compress(text))])
    coding = [b"Content-Encoding: " + name]
    if chance.random() < 0.5:
        return "compressed", [head(b"200 OK", *coding, b"Content-Length: %d" % len(body)), body], (200, text), "keep"
    lines = head(b"200 OK", *coding, b"Transfer-Encoding: chunked")
    return "compressed chunks", [lines, chunked(body, chance)], (200, text), "keep"


def interim(chance):
    first = head(b"103 Early Hints", b"Link: </x>") * chance.choice([1, 2, 20])
    return "interim", [first, head(b"200 OK", b"Content-Length: 11"), BODY], (200, BODY), "keep"


def without_body(chance):
    status = chance.choice([b"204 No Content", b"304 Not Modified"])
    return "without a body", [head(status, b"ETag: x")], (int(status[:3]), b""), "keep"


def refusal(chance):
    status, line = chance.choice([
        (401, b"WWW-Authenticate: Basic realm=x"), (407, b"Proxy-Authenticate: Negotiate"),
        (302, b"Location: https://127.0.0.1:1/"), (429, b"Retry-After: 1"), (500, b"Set-Cookie: a=b; Domain=localhost"),
        (200, b'Alt-Svc: h2="127.0.0.1:1"'), (200, b"Strict-Transport-Security: max-age=1"),
    ])  # fmt: skip
    return "a status", [head(b"%d X" % status, line, b"Content-Length: 11"), BODY], (status, BODY), "keep"


H1 = [with_length, with_length, in_chunks, with_trailers, until_close, compressed, interim, without_body, refusal]


def special(chance):
    """An answer that wants more than a client has."""
    bomb = gzip.compress(bytes(20 * LIMIT), 9, mtime=0)
    double = gzip.compress(bomb, 9, mtime=0)
    short = gzip.compress(chance.randbytes(500), mtime=0)
    short = short[: chance.randrange(1, len(short))]
    large = b"x" * (LIMIT + 1)
    lines = b"".join(b"X-%d: %s\r\n" % (index, b"y" * 900) for index in range(400))
    name, text, expected = chance.choice([
        ("a bomb", head(b"200 OK", b"Content-Encoding: gzip", b"Content-Length: %d" % len(bomb)) + bomb, "tooLarge"),
        ("a bomb in chunks",
         head(b"200 OK", b"Content-Encoding: gzip", b"Transfer-Encoding: chunked") + chunked(bomb, chance), "tooLarge"),
        ("a bomb in a bomb",
         head(b"200 OK", b"Content-Encoding: gzip, gzip", b"Content-Length: %d" % len(double)) + double, "tooLarge"),
        ("a compressed body without its end", head(b"200 OK", b"Content-Encoding: gzip",
                                                   b"Content-Length: %d" % len(short)) + short, "connectionLost"),
        ("compressed chunks without their end",
         head(b"200 OK", b"Content-Encoding: gzip", b"Transfer-Encoding: chunked") + chunked(short, chance),
         "connectionLost"),
        ("one byte too many", head(b"200 OK", b"Content-Length: %d" % len(large)) + large, "tooLarge"),
        ("too many until close", head(b"200 OK") + large, "tooLarge"),
        ("too many lines", b"HTTP/1.1 200 OK\r\n" + lines, "tooLarge"),
        ("a field without end", b"HTTP/1.1 200 OK\r\nX: " + b"y" * 400_000, "tooLarge"),
        ("a chunk's line without end",
         head(b"200 OK", b"Transfer-Encoding: chunked") + b"1;" + b"y" * 400_000, "failure"),
        ("too many trailers", head(b"200 OK", b"Transfer-Encoding: chunked") + b"0\r\n" + lines, "tooLarge"),
        ("interim answers without end", head(b"102 Processing", b"X: " + b"y" * 900) * 400, "failure"),
        # libcurl 7.88 crashes if its handle has had another response before.
        ("a folded line first", b"HTTP/1.1 200 OK\r\n folded: x\r\nContent-Length: 0\r\n\r\n", "failure"),
        ("a folded line after an interim answer",
         head(b"103 Early Hints", b"Link: x") + b"HTTP/1.1 200 OK\r\n folded: x\r\nContent-Length: 0\r\n\r\n", "failure"),
        ("another protocol", head(b"101 Switching Protocols", b"Upgrade: h2c"), "badResponse"),
        ("two lengths", head(b"200 OK", b"Content-Length: 11", b"Content-Length: 12") + BODY, "failure"),
        ("a length and chunks",
         head(b"200 OK", b"Content-Length: 11", b"Transfer-Encoding: chunked") + chunked(BODY, chance), "failure"),
    ])  # fmt: skip
    # The client ends what is too large, except a line that it can skip without keeping it.
    return Answer(name, [text], "close" if "line without" in name else "keep", expected)


def frame(kind, flags, stream, payload=b""):
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def literal(name, value):
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


STATUS_200 = b"\x88"
TYPE = literal(b"content-type", b"text/plain")


def frames(chance):
    fields = frame(HEADERS, END_HEADERS, 0x1111, STATUS_200 + TYPE + literal(b"content-length", b"11"))
    return "frames", [fields, frame(DATA, END_STREAM, 0x1111, BODY)], (200, BODY), "keep"


def continued(chance):
    parts = [frame(HEADERS, 0, 0x1111, STATUS_200), frame(CONTINUATION, END_HEADERS, 0x1111, TYPE)]
    return "continued frames", [*parts, frame(DATA, 0, 0x1111, BODY[:5]), frame(DATA, 1, 0x1111, BODY[5:])], (
        200, BODY), "keep"  # fmt: skip


def padded(chance):
    data = frame(DATA, END_STREAM | PADDED, 0x1111, b"\x07" + BODY + bytes(7))
    return "padded frames", [frame(HEADERS, END_HEADERS, 0x1111, STATUS_200), data], (200, BODY), "keep"


def compressed_frames(chance):
    body = gzip.compress(BODY, mtime=0)
    fields = STATUS_200 + literal(b"content-encoding", b"gzip")
    parts = [frame(HEADERS, END_HEADERS, 0x1111, fields), frame(DATA, END_STREAM, 0x1111, body)]
    return "compressed frames", parts, (200, BODY), "keep"


def trailing_frames(chance):
    parts = [frame(HEADERS, END_HEADERS, 0x1111, STATUS_200), frame(DATA, 0, 0x1111, BODY)]
    return "trailers in frames", [*parts, frame(HEADERS, 5, 0x1111, literal(b"digest", b"x"))], (200, BODY), "keep"


def busy_frames(chance):
    other = [
        frame(PING, 0, 0, bytes(8)), frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 1000)), frame(SETTINGS, 0, 0),
        frame(HEADERS, END_HEADERS, 0x1111, literal(b":status", b"103") + literal(b"link", b"x")),
    ]  # fmt: skip
    chance.shuffle(other)
    return "other frames", [*other, *frames(chance)[1]], (200, BODY), "keep"


def ended_frames(chance):
    end = chance.choice([
        frame(RST_STREAM, 0, 0x1111, struct.pack(">I", chance.choice([0, 1, 2, 8, 11]))),
        frame(GOAWAY, 0, 0, struct.pack(">II", 0, chance.choice([0, 1, 11]))),
    ])  # fmt: skip
    return "ended frames", [frame(HEADERS, END_HEADERS, 0x1111, STATUS_200), frame(DATA, 0, 0x1111, b"h"), end], None, (
        "close")  # fmt: skip


H2 = [frames, frames, continued, padded, compressed_frames, trailing_frames, busy_frames, ended_frames]


def special_frames(chance):
    """Frames that want more than a client has, or are against the protocol."""
    first = frame(HEADERS, END_HEADERS, 0x1111, STATUS_200)
    bomb = gzip.compress(bytes(20 * LIMIT), 9, mtime=0)
    gzipped = frame(HEADERS, END_HEADERS, 0x1111, STATUS_200 + literal(b"content-encoding", b"gzip"))
    part = first + frame(DATA, 0, 0x1111, b"hello")
    wrong = chance.choice([
        frame(DATA, END_STREAM, 0x1111, bytes(20_000)), frame(DATA, 0, 0, BODY), frame(PUSH_PROMISE, 4, 0x1111, bytes(4)),
        frame(WINDOW_UPDATE, 0, 0, bytes(4)), frame(WINDOW_UPDATE, 0, 0x1111, bytes(4)), frame(SETTINGS, 0, 0, b"x"),
        frame(PING, 0, 0, b"x"), frame(HEADERS, 4, 0x1111, b"\xff\xff\xff\xff\xff\xff"), frame(CONTINUATION, 4, 0x1111),
        frame(RST_STREAM, 0, 0x1111, b"x"), frame(GOAWAY, 0, 0, bytes(7)), frame(HEADERS, 4, 0x1111, STATUS_200),
        frame(GOAWAY, 0, 0, bytes(8)), frame(GOAWAY, 0, 0, bytes(7) + b"\1"), frame(GOAWAY, 0, 0, bytes(9)),
        frame(RST_STREAM, 0, 0x1111, bytes(3) + b"\2"), frame(DATA, END_STREAM | PADDED, 0x1111, b"\xff" + BODY),
    ])  # fmt: skip
    block = b"".join(literal(b"x%d" % index, b"y" * 100) for index in range(140))
    name, text, expected = chance.choice([
        ("a body broken by a frame", part + wrong, "failure"), ("a body broken by a frame", part + wrong, "failure"),
        ("a body broken by a frame", part + wrong, "failure"),
        ("a bomb in frames", gzipped + b"".join(
            frame(DATA, 0, 0x1111, bomb[at : at + 16000]) for at in range(0, len(bomb), 16000)), "failure"),
        ("too many frames of a head", frame(HEADERS, 0, 0x1111, STATUS_200) + b"".join(
            frame(CONTINUATION, 0, 0x1111, block) for _ in range(40)), "failure"),
        ("a promise", frame(PUSH_PROMISE, END_HEADERS, 0x1111, struct.pack(">I", 2) + STATUS_200) + first, "failure"),
        ("a frame that is too long", first + frame(DATA, END_STREAM, 0x1111, bytes(20_000)), "failure"),
        ("a frame of no stream", frame(DATA, 0, 0, BODY), "failure"),
        ("a window that is too large",
         frame(WINDOW_UPDATE, 0, 0, struct.pack(">I", 0x7FFFFFFF)) * 2 + first, "failure"),
        ("a wrong length", frame(HEADERS, END_HEADERS, 0x1111, STATUS_200 + literal(b"content-length", b"12"))
         + frame(DATA, END_STREAM, 0x1111, BODY), "failure"),
        ("no status", frame(HEADERS, 5, 0x1111, TYPE), "failure"),
        ("many pings", frame(PING, 0, 0, bytes(8)) * 3000 + first, "failure"),
        ("many empty frames", first + frame(DATA, 0, 0x1111) * 3000, "failure"),
    ])  # fmt: skip
    return Answer(name, [text], "close", expected)
