"""Counts what a test looked at and prints what is wrong with it."""


class Faults:
    def __init__(self):
        self.checks, self.failed = 0, 0

    def check(self, holds, what):
        self.checks += 1
        if not holds:
            self.failed += 1
            print("FAIL " + what)
