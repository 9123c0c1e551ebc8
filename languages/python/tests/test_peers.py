"""Values cross to Rust and back, where its program was built (``./dev test languages:rust``)."""

import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

import peer
from tern import from_json, parse
from tern.json_text import loads

ROOT = pathlib.Path(__file__).resolve().parents[3]
RUST = os.environ.get("TERN_RUST_PEER", str(ROOT / "dist-newstyle/rust/release/tern-peer"))
PYTHON = [sys.executable, peer.__file__]
COUNT = int(os.environ.get("TERN_LANGUAGES", "2000"))  # values of each schema, each way
INT = "integer -9223372036854775808..9223372036854775807"
DATE_IN = "integer -365243178575..365241821058"
TIME_IN = "(integer 0..23, integer 0..59, integer 0..60999999999999)"
DATE = f'text "date" as ({DATE_IN})'
TIME = f'text "time-local" as {TIME_IN}'
DECIMAL = f'number "decimal" as (integer, {INT})'
SCHEMAS = [
    INT,
    "(integer 0..255, integer 0..65535, integer 0..4294967295, integer 0..18446744073709551615)",
    "(integer -128..127, integer -32768..32767, integer -2147483648..2147483647)",
    "(integer, integer 0..)",
    f"(integer 0..4294967295 in 4 bytes, integer -2147483648..2147483647 in 4 bytes, {INT} in 8 bytes)",
    f"([integer 0..18446744073709551615 in 8 bytes], set ({INT} in 8 bytes), map (integer 0..9 in 4 bytes) unit)",
    "(float 64, float 32)",
    "(text, character, unit)",
    "[boolean?]",
    'C\nC = "Red" | "Green" | "Blue"',
    f'R\nR = {{"hour": integer 0..255, "celsius": float 64, "note"?: text?, "counts": map text ({INT})}}',
    f'E\nE = tagged "tag" "contents"\n  | "Quiet"\n  | "Seen" {{"species": text, "n"?: ({INT})?}}\n  | "At" (P, P)\n  | "Noted" text\n'
    f"P = ({INT}, {INT})",
    'T\nT = tagged "tag" "contents"\n  | "Leaf"\n  | "Fork" (T, integer 0..255, T)',
    f"map ({INT}) [(text, boolean)]",
    "[[float 64]; 1 or more]",
    "(bytes, bytes 3, text \"base16\" as bytes, text \"base64url\" as bytes)",
    "text \"uuid\" as (bytes 16)",
    f"({DATE}, {TIME}, text \"date-time-local\" as ({DATE_IN}, {TIME_IN}))",
    f"(text \"date-time\" as ({DATE_IN}, integer 0..86400999999999999), text \"date-time\" as (({DATE_IN}, {TIME_IN}), integer -1439..1439))",
    "(text \"month\" as (integer -11999999988..11999999999), text \"quarter\" as (integer -3999999996..3999999999), "
    "text \"weekday\" as (integer 0..6), text \"quarter-of-year\" as (integer 0..3))",
    f"({DECIMAL}, number \"fixed-100\" as integer, number \"fixed-60\" as integer, number \"seconds\" as integer, "
    f"number \"system-time\" as ({INT}, integer 0..4294967295))",
    f"(set text, set integer, set ({DATE}), set bytes, set (set (integer 0..3)), set ({DECIMAL}))",
    f"(map ({DATE}) unit, map (text \"uuid\" as (bytes 16)) unit, map bytes unit, map ({DECIMAL}) unit)",
    f"set (text \"date-time\" as (({DATE_IN}, {TIME_IN}), integer -1439..1439))",
    'text "made up" as (integer 0..9, text)',
]


def values(schema: str, lines: pathlib.Path) -> list[object]:
    """The values that lines of JSON are."""
    with open(lines, encoding="utf-8") as file:
        return [from_json(parse(schema), loads(line)) for line in file]


@unittest.skipUnless(os.access(RUST, os.X_OK), "languages/rust was not built")
class Crossing(unittest.TestCase):
    def crossed(self, maker: list[str], reader: list[str]) -> None:
        for text in SCHEMAS:
            with self.subTest(text), tempfile.TemporaryDirectory() as folder:
                at = pathlib.Path(folder)
                (at / "schema").write_text(text, encoding="utf-8", newline="")

                def run(program: list[str], *arguments: object) -> None:
                    done = subprocess.run([*program, *map(str, arguments)], capture_output=True, text=True)
                    self.assertEqual(done.returncode, 0, done.stderr)

                run(maker, "make", at / "schema", COUNT, 18, at / "made", at / "said")
                run(reader, "cat", at / "made", at / "read")
                # As values: two texts of a real may be equally short and equally near.
                said, read = (values(text, at / name) for name in ("said", "read"))
                self.assertEqual(len(said), COUNT)
                self.assertEqual(read, said)
                run(reader, "copy", at / "made", at / "copied")
                self.assertEqual((at / "copied").read_bytes(), (at / "made").read_bytes())

    def test_from_python_to_rust(self) -> None:
        self.crossed(PYTHON, [RUST])

    def test_from_rust_to_python(self) -> None:
        self.crossed([RUST], PYTHON)
