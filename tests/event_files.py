#!/usr/bin/env python3
"""tests/event_files.py MTF: event files of TensorBoard hold the numbers that a script logs, read by a reader of our own."""
import pathlib
import struct
import subprocess
import sys
import tempfile


def crc32c(data):
    crc = 0xFFFFFFFF
    for byte in data:
        crc ^= byte
        for _ in range(8):
            crc = crc >> 1 ^ (0x82F63B78 if crc & 1 else 0)
    return crc ^ 0xFFFFFFFF


def masked(data):
    crc = crc32c(data)
    return ((crc >> 15 | crc << 17) + 0xA282EAD8) & 0xFFFFFFFF


def records(data):
    while data:
        (length,), (check,) = struct.unpack("<Q", data[:8]), struct.unpack("<I", data[8:12])
        assert check == masked(data[:8]), "the checksum of a length"
        event, (check,) = data[12 : 12 + length], struct.unpack("<I", data[12 + length : 16 + length])
        assert check == masked(event), "the checksum of an event"
        yield event
        data = data[16 + length :]


def varint(data, at):
    number = shift = 0
    while True:
        number |= (data[at] & 0x7F) << shift
        at, shift = at + 1, shift + 7
        if data[at - 1] < 0x80:
            return number, at


def fields(data):
    """The fields of a message: pairs of number and value."""
    at = 0
    while at < len(data):
        key, at = varint(data, at)
        if key & 7 == 0:
            value, at = varint(data, at)
        elif key & 7 == 2:
            size, at = varint(data, at)
            value, at = data[at : at + size], at + size
        else:
            size = {1: 8, 5: 4}[key & 7]
            (value,) = struct.unpack("<d" if size == 8 else "<f", data[at : at + size])
            at += size
        yield key >> 3, value


def scalars(path):
    """The numbers of a file, and the steps at which a session starts."""
    found, starts = [], []
    for number, event in enumerate(records(path.read_bytes())):
        message = dict(fields(event))
        assert message[1] > 1.5e9, "the time"
        if number == 0:
            assert message[3] == b"brain.Event:2", message
        if 7 in message:
            assert dict(fields(message[7])) == {1: 1}
            starts.append(message.get(2, 0))
        for _, value in fields(message.get(5, b"")):
            value = dict(fields(value))
            found.append((message[2], value[1].decode(), value[2]))
    return found, starts


mtf = pathlib.Path(sys.argv[1]).resolve()
assert crc32c(b"123456789") == 0xE3069283  # the check value of CRC-32C
script = """import logs
dim a = 4
for step in 0..3 {
  let loss = sum(ones([a])) / (step + 1)
  logs.tensorboard("runs/first", step: step * 100, train_loss: loss, lr: 0.5, epoch: step)
}
"""
with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    (folder / "a.mtf").write_text(script)
    subprocess.run([mtf, "plan", "a.mtf"], cwd=folder, check=True, capture_output=True)
    assert not (folder / "runs").exists(), "a plan has written events"
    for run in range(2):
        subprocess.run([mtf, "run", "a.mtf"], cwd=folder, check=True)
    files = sorted((folder / "runs/first").iterdir())
    assert len(files) == 2 and all(file.name.startswith("events.out.tfevents.") for file in files), files
    for file in files:
        found, starts = scalars(file)
        expected = [
            (100 * step, tag, number)
            for step in range(3)
            for tag, number in [("train_loss", 4 / (step + 1)), ("lr", 0.5), ("epoch", step)]
        ]
        assert starts == [0], starts
        assert [each[:2] for each in found] == [each[:2] for each in expected], found
        assert all(abs(a[2] - b[2]) < 1e-6 for a, b in zip(found, expected)), found
    wrong = folder / "b.mtf"
    wrong.write_text('import logs\nlogs.tensorboard("runs/b", step: 1, note: "text")\n')
    check = subprocess.run([mtf, "check", wrong], capture_output=True, text=True)
    assert "expected a number, found" in check.stderr, check.stderr
