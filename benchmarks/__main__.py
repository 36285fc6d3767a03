"""Run the benchmarks: ``python -m benchmarks [--out DIR] [--only WORD ...]``."""

from __future__ import annotations

import argparse
import importlib
import json
import sys
import traceback
from pathlib import Path

from benchmarks.harness import Report
from benchmarks.report import as_json, as_table


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("out"), help="folder for bench.json")
    parser.add_argument("--only", nargs="*", default=[], help="words a benchmark's name contains")
    arguments = parser.parse_args()

    report = Report()
    failed = []
    for path in sorted(Path(__file__).parent.glob("bench_*.py")):
        if arguments.only and not any(word in path.stem for word in arguments.only):
            continue
        print(f"{path.stem} ...", file=sys.stderr, flush=True)
        try:
            importlib.import_module(f"benchmarks.{path.stem}").run(report)
        except Exception:
            traceback.print_exc()
            failed.append(path.stem)
    print(as_table(report))
    arguments.out.mkdir(parents=True, exist_ok=True)
    target = arguments.out / "bench.json"
    target.write_text(json.dumps(as_json(report, failed), indent=2) + "\n")
    print(f"written: {target}")
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


sys.exit(main())
