"""Runs the tests, and ends with the tally that ``./dev test`` sums."""

from __future__ import annotations

import pathlib
import sys
import unittest

HERE = pathlib.Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "src"), str(HERE)]


class Tally(unittest.TextTestResult):
    """Counts what passed. A test with a part that failed has failed."""

    passed = 0

    def addSuccess(self, test: unittest.TestCase) -> None:
        super().addSuccess(test)
        self.passed += 1


def main() -> int:
    found = unittest.defaultTestLoader.discover(str(HERE))
    result = unittest.TextTestRunner(stream=sys.stdout, verbosity=2, resultclass=Tally).run(found)
    assert isinstance(result, Tally)
    wrong = result.failures + result.errors
    for test, trace in wrong:
        print("failed: python." + test.id() + ": " + trace.strip().splitlines()[-1][:400])
    failed = len({test.id() for test, _ in wrong})
    print(f"tally: {result.passed} passed, {failed} failed, {len(result.skipped)} skipped")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
