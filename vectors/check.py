#!/usr/bin/env python3
"""Recomputes the vectors with Python's standard library alone, without any code of this project.

    python3 vectors/check.py

HKDF is written out after RFC 5869, the rest after the wire format. Exit code 1 and a line for what differs.
"""
import base64
import hashlib
import hmac
import json
import pathlib
import struct
import sys
from decimal import Decimal

HERE = pathlib.Path(__file__).parent


def b64(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def unb64(text):
    return base64.urlsafe_b64decode(text + "=" * (-len(text) % 4))


def sibling(letter):
    """Another last letter that decodes to the same bytes (32 bytes leave two bits of it unused)."""
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    return alphabet[alphabet.index(letter) ^ 1]


def mac(key, data):
    return hmac.new(key, data, hashlib.sha256).digest()


def hkdf(secret, salt, info):
    return mac(mac(salt, secret), info + b"\x01")


def lp(text):
    data = str(text).encode()
    return struct.pack(">I", len(data)) + data


def sha_hex(text):
    return hashlib.sha256(text.encode()).hexdigest()


def handshake_case(name, master, hs, requests, responses, pushes):
    info = b"subl/v1/key" + lp(hs["kind"]) + lp(hs["id"]) + lp(hs["epoch"])
    key = hkdf(master, hs["ledger_id"].encode(), info)
    fields = [hs[field] for field in ("v", "kind", "id", "epoch", "nc", "ledger_id", "ns")]
    transcript = hashlib.sha256(b"subl/v1/hs" + b"".join(lp(field) for field in fields)).digest()
    keys = {label: hkdf(key, transcript, b"subl/v1/" + label.encode()) for label in ("hs", "c2s", "s2c")}
    macs = {}

    def signed(side, parts):
        return b64(mac(keys[side], "|".join(str(part) for part in parts).encode()))

    out_requests = []
    for r in requests:
        text = signed("c2s", ["req", r["seq"], r["id"], r["timestamp"], r["action"], sha_hex(r["payload"])])
        macs[r["id"]] = text
        out_requests.append({**r, "mac": text})
    out_responses = []
    for r in responses:
        asked = macs[r["requestId"]]
        parts = [r["seq"], r["requestId"], asked, r["timestamp"], r["status"], r["auditRef"], sha_hex(r["body"])]
        out_responses.append({**r, "requestMac": asked, "mac": signed("s2c", ["res", *parts])})
    out_pushes = [{**p, "mac": signed("s2c", ["evt", p["seq"], sha_hex(p["body"])])} for p in pushes]
    return {
        "name": name,
        "master": master.hex(),
        "handshake": hs,
        "key": key.hex(),
        "key_text": b64(key),
        "transcript": transcript.hex(),
        "hs": keys["hs"].hex(),
        "c2s": keys["c2s"].hex(),
        "s2c": keys["s2c"].hex(),
        "proof_s": b64(mac(keys["hs"], b"server" + transcript)),
        "proof_c": b64(mac(keys["hs"], b"client" + transcript)),
        "requests": out_requests,
        "responses": out_responses,
        "pushes": out_pushes,
    }


def load(name):
    return json.loads((HERE / name).read_text(encoding="utf-8"))


def without(entry, *names):
    return {name: value for name, value in entry.items() if name not in names}


def check_handshake():
    for case in load("handshake.json")["valid"]:
        again = handshake_case(
            case["name"],
            bytes.fromhex(case["master"]),
            case["handshake"],
            [without(r, "mac") for r in case["requests"]],
            [without(r, "mac", "requestMac") for r in case["responses"]],
            [without(p, "mac") for p in case["pushes"]],
        )
        yield case["name"], again == case


def check_sha256():
    for entry in load("sha256.json")["valid"]:
        data = bytes.fromhex(entry["hex"]) if "hex" in entry else entry["text"].encode() * entry.get("repeat", 1)
        yield entry["name"], hashlib.sha256(data).hexdigest() == entry["sha256"]


def check_args_hash():
    for entry in load("args-hash.json")["valid"]:
        parsed = [json.loads(text, parse_float=Decimal) for text in [*entry["inputs"], entry["canonical"]]]
        same = all(value == parsed[0] for value in parsed)
        yield entry["name"], same and sha_hex(entry["canonical"]) == entry["args_hash"]


def in_order(pairs):
    keys = [key for key, _ in pairs]
    if keys != sorted(set(keys)):
        raise ValueError(f"keys out of order: {keys}")
    return dict(pairs)


def check_canonical():
    """Values must be equal, keys in Python's string order (code points). Numbers are compared as decimals."""
    for entry in load("canonical-json.json")["valid"]:
        value = json.loads(entry["input"], parse_float=Decimal)
        canonical = json.loads(entry["canonical"], parse_float=Decimal, object_pairs_hook=in_order)
        yield entry["name"], canonical == value


def check_numbers():
    numbers = load("numbers.json")
    for entry in numbers["valid"]:
        yield entry["literal"], Decimal(entry["literal"]) == Decimal(entry["canonical"])
    for entry in numbers["doubles"]:
        double = struct.unpack(">d", bytes.fromhex(entry["ieee"]))[0]
        yield entry["ieee"], Decimal(repr(double)) == Decimal(entry["canonical"])


def check_frames():
    for entry in load("frames.json")["valid"]:
        bodies = [text.encode() for text in entry["texts"]]
        stream = b"".join(struct.pack(">I", len(body)) + body for body in bodies)
        yield entry["name"], stream.hex() == entry["stream"]


def main():
    failed = 0
    for check in (check_sha256, check_args_hash, check_canonical, check_numbers, check_frames, check_handshake):
        for name, right in check():
            if not right:
                failed += 1
                print(f"{check.__name__}: {name} differs", file=sys.stderr)
    print("all vectors agree" if failed == 0 else f"{failed} vectors differ")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
