"""Run the minimal cases of faults that were found by attack; fail when one ends the process, hangs, or gives another
value than PyTorch.

    python tests/conformance/defects.py

The cases are a script outside this repository, ../shared/defects/repros.py, which runs each in a process of its own
under guard pages, here and in PyTorch (`make parity` installs it). Without the script this does nothing but say so.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

CASES = Path(__file__).resolve().parents[3] / "shared" / "defects" / "repros.py"
# Where what happens here is better than PyTorch's value: the reason.
BETTER = {
    "04d_weights_only_setattr": "a file of weights sets no attribute that the class defines",
    "21_deepcopy_self": "a copy of a tensor that has itself as an attribute has itself, too",
}
ERROR = re.compile(r"\w*(Error|Exception)\b")


def main() -> int:
    if not CASES.exists():
        print("defects: the script of cases is not beside the checkout")
        return 0
    done = subprocess.run([sys.executable, str(CASES)], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    rows = re.findall(r"^(\S+) +rushlight: (.*?) *\| torch: (.*)$", done.stdout, re.MULTILINE)
    wrong = []
    for name, ours, theirs in rows:
        if ours.startswith(("CRASH", "HANG")):
            wrong.append(f"{name}: {ours}")
        elif ERROR.match(ours):
            if not ERROR.match(theirs) and name not in BETTER:
                wrong.append(f"{name}: {ours}; PyTorch gives {theirs}")
        elif not ERROR.match(theirs) and not theirs.startswith("CRASH") and ours != theirs and name not in BETTER:
            wrong.append(f"{name}: {ours}; PyTorch gives {theirs}")
    print("\n".join(f"defects: {line}" for line in wrong))
    print(f"defects: {len(rows)} cases, {len(wrong)} wrong")
    return 1 if wrong or not rows or done.returncode else 0


if __name__ == "__main__":
    sys.exit(main())
