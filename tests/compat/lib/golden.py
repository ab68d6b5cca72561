"""Stores upstream's normalised answers, and the generated requests with them.

One file per scenario file or resource, one line per step, so that a change of one answer is a
change of one line. An answer much like an earlier one of its file is stored as the changes to it.
"""

import copy
import json
import pathlib

from lib import compare
from lib import scenario as scenarios

USUAL_HEADERS = {"Content-Type": "application/json", "Audit-Id": "present"}
SMALL = 300    # answers below this many characters are stored as they are
LOOK_BACK = 12  # earlier answers that are tried as a model


def _line(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def file_name(scenario):
    """apps/v1/deployments/... -> apps_v1_deployments.jsonl; scenario/errors/... -> scenario_errors.jsonl"""
    parts = scenario.id.split("/")
    return "_".join(parts[:2] if parts[0] == "scenario" else parts[:3]) + ".jsonl"


class Goldens:
    def __init__(self, folder):
        self._folder = pathlib.Path(folder)

    def save(self, runs, everything):
        """`runs`: (scenario, answers) pairs. Files of other scenarios go when this is `everything`, else stay."""
        files = {}
        for scenario, answers in runs:
            files.setdefault(file_name(scenario), []).append((scenario, answers))
        for name, group in files.items():
            lines = []
            for scenario, answers in group:
                lines += self._lines(scenario, answers)
            (self._folder / name).write_text("".join(line + "\n" for line in lines))
        for file in self._folder.glob("*.jsonl") if everything else ():
            if file.name not in files:
                file.unlink()

    def _lines(self, scenario, answers):
        generated = not scenario.id.startswith("scenario/")
        head = {"scenario": scenario.id}
        if generated and scenario.bodies:
            head["bodies"] = scenario.bodies
        lines, models = [_line(head)], []
        for step, answer in zip(scenario.steps, answers, strict=True):
            out = step.to_json() if generated else {"step": step.name}
            lines.append(_line({**out, "answer": self._pack(answer, models)}))
            models.append(answer)
        return lines

    @staticmethod
    def _pack(answer, models):
        """The answer without the usual headers; or how it differs from an earlier one, if that is much shorter."""
        whole = dict(answer)
        if whole["headers"] == USUAL_HEADERS:
            del whole["headers"]
        best, best_length = whole, len(_line(whole))
        if best_length < SMALL:
            return best
        for back, model in enumerate(reversed(models[-LOOK_BACK:]), start=1):
            edits = [[found.where] if found.actual is compare.ABSENT else [found.where, found.actual]
                     for found in compare.differences(model, answer)]
            # Removing from a list shifts what follows it: last first.
            edits = [edit for edit in edits if len(edit) == 2] + [edit for edit in reversed(edits) if len(edit) == 1]
            packed = {"back": back, "edits": edits}
            if len(_line(packed)) < best_length * 0.7:
                best, best_length = packed, len(_line(packed))
        return best

    @staticmethod
    def _unpack(packed, models):
        if "back" not in packed:
            return {"headers": USUAL_HEADERS, **packed}
        answer = copy.deepcopy(models[-packed["back"]])
        for edit in packed["edits"]:
            scenarios.apply_edit(answer, *edit)
        return answer

    def load_answers(self):
        """case id -> answer, for every file."""
        return {scenario.case_id(step): answer for scenario, answers in self._load()
                for step, answer in zip(scenario.steps, answers)}

    def load_generated(self):
        """The generated scenarios."""
        return [scenario for scenario, _ in self._load() if not scenario.id.startswith("scenario/")]

    def _load(self):
        runs = []
        for file in sorted(self._folder.glob("*.jsonl")):
            for text in file.read_text().splitlines():
                data = json.loads(text)
                if "scenario" in data:
                    runs.append((scenarios.Scenario(data["scenario"], [], data.get("bodies")), []))
                    continue
                scenario, answers = runs[-1]
                scenario.steps.append(scenarios.Step.from_json({"request": "- -", **data}))
                answers.append(self._unpack(data["answer"], answers))
        return runs
