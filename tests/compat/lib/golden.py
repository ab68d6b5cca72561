"""Stores upstream's normalised answers, and the generated requests with them.

One file per scenario file or resource, one line per step, so that a change of one answer is a
change of one line. An answer much like an earlier one of its file is stored as the edits that turn
that one into it, and a message of an invalid object without the causes that it repeats.
"""

import copy
import json
import pathlib

from lib import compare
from lib import scenario as scenarios

USUAL_HEADERS = {"Content-Type": "application/json", "Audit-Id": "present"}
FAILURE = {"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure"}
BODIES = ("json", "yaml", "protobuf", "text", "events")
SMALL = 200     # answers below this many characters are stored as they are
CANDIDATES = 6  # earlier answers that are tried as a model: so many of the first and of the last


def _line(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def file_name(scenario):
    """apps/v1/deployments/... -> apps_v1_deployments.jsonl; scenario/errors/... -> scenario_errors.jsonl"""
    parts = scenario.id.split("/")
    return "_".join(parts[:2] if parts[0] == "scenario" else parts[:3]) + ".jsonl"


# --- one answer ---

def shorten(answer):
    """The answer without what most answers have."""
    out = {key: value for key, value in answer.items() if key != "headers" or value != USUAL_HEADERS}
    body = out.get("json")
    if isinstance(body, dict) and FAILURE.items() <= body.items() and body.get("code") == answer["code"]:
        del out["json"]
        error = {key: value for key, value in body.items() if key not in FAILURE and key != "code"}
        short = {**error, "message": _abbreviate(error)}
        out["error"] = short if _spell_out(short) == error.get("message") else error
    elif "events" in out:
        out["events"] = [_edits(before, event) if before else event
                         for before, event in zip([None, *out["events"]], out["events"])]
    return out


def lengthen(stored):
    out = copy.deepcopy({"headers": USUAL_HEADERS, **stored})
    if "error" in out:
        error = out.pop("error")
        if "message" in error:
            error["message"] = _spell_out(error)
        out["json"] = {**FAILURE, **error, "code": out["code"]}
    elif "events" in out:
        for i, event in enumerate(out["events"]):
            if isinstance(event, list):
                out["events"][i] = _edited(out["events"][i - 1], event)
    return out


def _causes(error):
    causes = (error.get("details") or {}).get("causes") or []
    return [f"{cause.get('field')}: {cause.get('message')}" for cause in causes]


def _abbreviate(error):
    """The message with <0>, <1>, ... for the causes listed beside it."""
    message = error.get("message", "")
    for i, cause in enumerate(_causes(error)):
        message = message.replace(cause, f"<{i}>", 1)
    return message


def _spell_out(error):
    message = error.get("message", "")
    for i, cause in reversed(list(enumerate(_causes(error)))):
        message = message.replace(f"<{i}>", cause, 1)
    return message


def _edits(model, value):
    """The edits that turn one into the other."""
    edits = [[found.where] if found.actual is compare.ABSENT else [found.where, found.actual]
             for found in compare.differences(model, value)]
    # Removing from a list shifts what follows: those come last, the last element first.
    return [edit for edit in edits if len(edit) == 2] + [edit for edit in reversed(edits) if len(edit) == 1]


def _edited(model, edits):
    value = copy.deepcopy(model)
    for edit in edits:
        scenarios.apply_edit(value, *edit)
    return value


def body_kind(answer):
    return next((kind for kind in BODIES if kind in answer), None)


def recast(model, kind):
    """A copy of an answer with its body called by another kind: YAML often holds what JSON held before."""
    out = {key: value for key, value in model.items() if key not in BODIES}
    if body_kind(model):
        out[kind] = model[body_kind(model)]
    return copy.deepcopy(out)


def pack(answer, earlier):
    """How to store `answer`; `earlier` are those stored before it in the same file."""
    best = shorten(answer)
    best_length = len(_line(best))
    if best_length < SMALL:
        return best
    kind, accepted = body_kind(answer), answer["code"] < 400
    alike = [i for i, model in enumerate(earlier) if (model["code"] < 400) == accepted]
    for i in sorted({*alike[:CANDIDATES], *alike[-CANDIDATES:]}):
        packed = {"like": i, "as": kind, "edits": _edits(recast(earlier[i], kind), answer)}
        length = len(_line(packed))
        if length < best_length * 0.8:
            best, best_length = packed, length
    return best


def unpack(stored, earlier):
    if "like" not in stored:
        return lengthen(stored)
    return _edited(recast(earlier[stored["like"]], stored["as"]), stored["edits"])


# --- files ---

class Goldens:
    def __init__(self, folder):
        self._folder = pathlib.Path(folder)

    def save(self, runs, everything):
        """`runs`: (scenario, answers) pairs. Files of other scenarios go when this is `everything`, else stay."""
        files = {}
        for scenario, answers in runs:
            files.setdefault(file_name(scenario), []).append((scenario, answers))
        self._folder.mkdir(exist_ok=True)
        for name, group in files.items():
            lines, earlier = [], []
            for scenario, answers in group:
                lines += self._lines(scenario, answers, earlier)
            (self._folder / name).write_text("".join(line + "\n" for line in lines))
        for file in self._folder.glob("*.jsonl") if everything else ():
            if file.name not in files:
                file.unlink()

    @staticmethod
    def _lines(scenario, answers, earlier):
        generated = not scenario.id.startswith("scenario/")
        head = {"scenario": scenario.id}
        if generated:
            head["at"] = scenario.at
        if generated and scenario.bodies:
            head["bodies"] = scenario.bodies
        lines = [_line(head)]
        for step, answer in zip(scenario.steps, answers, strict=True):
            out = step.to_json(scenario.at) if generated else {"step": step.name}
            lines.append(_line({**out, "answer": pack(answer, earlier)}))
            earlier.append(answer)
        return lines

    def load(self):
        """The generated scenarios, and the answers to all scenarios by case id."""
        generated, answers = [], {}
        for file in sorted(self._folder.glob("*.jsonl")):
            scenario, earlier = None, []
            for text in file.read_text().splitlines():
                data = json.loads(text)
                if "scenario" in data:
                    scenario = scenarios.Scenario(data["scenario"], [], data.get("bodies"), data.get("at", ""))
                    if not scenario.id.startswith("scenario/"):
                        generated.append(scenario)
                    continue
                step = scenarios.Step.from_json(data, scenario.at) if "request" in data else None
                if step:
                    scenario.steps.append(step)
                earlier.append(unpack(data["answer"], earlier))
                answers[f"{scenario.id}/{data['step']}"] = earlier[-1]
        return generated, answers
