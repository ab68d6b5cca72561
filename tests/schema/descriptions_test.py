"""Compares the words of types and fields (schema/descriptions) with the schemas and the feature gates."""

import pathlib
import re
import sys
import typing
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[2]
LONGEST_LINE = 120
LONGEST_TEXT = 400
QUOTES = "\u2018\u2019\u201c\u201d"
FILLER = re.compile(
    r"\b(?:standard (?:object|list)|(?:specifies|represents|indicates) (?:the|a|an|whether)|this field (?:is|has)"
    r"|more info|read more|see also|must be specified|TODO|FIXME|foo|bar)\b|\bnote that\b|<[a-z]|`|\*\*",
    re.IGNORECASE,
)
ADDRESS = re.compile(r"\b(?:https?://|www\.|git\.k8s\.io|kubernetes\.io/docs)", re.IGNORECASE)
# What a list leaves out on purpose is announced by these.
PARTIAL = re.compile(r"\b(?:such as|for example|above all|among others|the like)\b")
UNITS = {
    "Milliseconds": ("millisecond", ()),
    "Seconds": ("second", ("millisecond", "nanosecond", "microsecond")),
    "Bytes": ("byte", ()),
    "Percent": ("percent", ()),
    "Percentage": ("percent", ()),
}
GATE = re.compile(r'\{"(\w+)", Stage::k(\w+), (true|false)(, true)?\}')
# Names in camel case that are no fields of a schema: products and protocols, and variables of expressions.
OTHER_NAMES = {"gRPC", "iSCSI", "vSphere", "namespaceObject", "oldSelf"}


class Field(typing.NamedTuple):
    type: str  # without list, map and pointer
    default: str | None


class Schema(typing.NamedTuple):
    enums: dict  # name to values
    types: dict  # name to fields by name


class Text(typing.NamedTuple):
    where: str
    type: str
    field: str  # empty for the type itself
    words: str


def words_of(line):
    """The words of a line of a schema; quoted ones may have blanks."""
    return [quoted if bare == "" else bare for quoted, bare in re.findall(r'"([^"]*)"|(\S+)', line)]


def parse_schema(text):
    enums, types, values, fields = {}, {}, None, None
    for line in text.splitlines():
        if not line.strip() or line.startswith("#"):
            values = fields = None
            continue
        head = line.split()
        if line.startswith("enum "):
            values = enums[head[1]] = []
            values += words_of(line)[2:]
        elif line.startswith(("type ", "object ")):
            values, fields = None, types.setdefault(head[1], {})
        elif not line.startswith(" "):
            values = fields = None
        elif values is not None:
            values += words_of(line)
        elif fields is not None and re.fullmatch(r"\d+|-", head[0]):
            marks = words_of(line)[3:]
            default = marks[marks.index("default") + 1] if "default" in marks else None
            fields[head[1]] = Field(head[2].strip("[]{}?"), default)
    return Schema(enums, types)


def parse_descriptions(name, text):
    """Every text of a file, its lines joined."""
    found, kind = [], ""
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip() or line.startswith(("#", "from ")):
            continue
        if line.startswith("    "):
            found[-1] = found[-1]._replace(words=f"{found[-1].words} {line.strip()}")
            continue
        label, _, words = line.strip().partition(": ")
        if not line.startswith(" "):
            kind = label
        found.append(Text(f"{name}:{number}", kind, label if line.startswith(" ") else "", words))
    return found


def enum_of(schemas, file, type_name):
    """The values of the enumeration that a field of a schema has, or None for another type."""
    other, _, name = type_name.rpartition(".")
    for home in [other] if other else [file, "meta_v1"]:
        if home in schemas and name in schemas[home].enums:
            return [value for value in schemas[home].enums[name] if value]
    return None


def mentions(words, value):
    return re.search(rf"(?<![\w*./-]){re.escape(value)}(?![\w*]|[./-]\w)", words) is not None


def listed(words):
    """Lists of names such as "Always, IfNotPresent or Never", each as the names in it."""
    name = r"[A-Z][A-Za-z0-9]*"
    for found in re.finditer(rf"(?<![\w.] )\b{name}(?:, {name})*,? (?:or|and) {name}\b", words):
        yield re.findall(name, found[0])


def enum_faults(words, values):
    named = [value for value in values if mentions(words, value)]
    for names in listed(words):
        if any(name in values for name in names):
            yield from (f"{name} is no value; they are {' '.join(values)}" for name in names if name not in values)
    missing = [value for value in values if value not in named]
    if len(named) > 1 and missing and not PARTIAL.search(words):
        yield f"names {' '.join(named)}, but not {' '.join(missing)}"


def stated_defaults(words):
    """What a text says the default is, as names and numbers. Defaults that depend on something are left out."""
    for found in re.finditer(r"\b[Tt]he default(?:, |,? is )\"?([\w./+-]*[\w/])(?=\"?[.;,)]|\"? \()", words):
        yield found[1]
    for found in re.finditer(r"\"?([\w./-]+)\"?, (?:which is )?the default(?=[,;.:])", words):
        yield found[1]


def default_faults(words, field, values):
    for stated in stated_defaults(words):
        if field.default is not None and stated != field.default:
            yield f"says the default is {stated}; the schema says {field.default or 'empty'}"
        if field.type == "bool" and stated not in ("true", "false"):
            yield f"says the default of a boolean is {stated}"
        if field.type in ("int32", "int64") and not re.fullmatch(r"-?\d+", stated):
            yield f"says the default of a number is {stated}"
        if values and stated[0].isupper() and stated not in values:
            yield f"says the default is {stated}, which is no value; they are {' '.join(values)}"


def unit_faults(name, words):
    for ending, (unit, others) in UNITS.items():
        if name.endswith(ending):
            plain = words.lower()
            for other in others:
                plain = plain.replace(other, "")
            if unit not in plain:
                yield f"does not say that the unit is {unit}"
            return


def parse_gates(source):
    return {name: (stage.lower(), on == "true") for name, stage, on, _ in GATE.findall(source)}


def feature_faults(words, gates):
    for found in re.finditer(r"(?:(alpha|beta) )?feature ([A-Z]\w+)([^.]*)", words):
        stage, name, rest = found.groups()
        if name not in gates:
            yield f"{name} is no feature gate"
            continue
        real, on = gates[name]
        if real not in ("alpha", "beta"):
            yield f"{name} is {real} and needs no mention"
        if stage and stage != real:
            yield f"{name} is {real}, not {stage}"
        if on and re.search(r"off,? (?:as )?by default", rest):
            yield f"{name} is on by default"
        if not on and "on by default" in rest:
            yield f"{name} is off by default"


def name_faults(words, names):
    for name in re.findall(r"(?<![\w./:$@{-])[a-z]+(?:[A-Z][a-z0-9]*)+(?![\w/:-])", words):
        if name not in names:
            yield f"{name} is no field of any schema"


def form_faults(words):
    if len(words) > LONGEST_TEXT:
        yield f"has {len(words)} characters, more than {LONGEST_TEXT}"
    if strange := {c for c in words if not (c.isascii() and c.isprintable()) and c not in QUOTES}:
        yield f"has {' '.join(map(ascii, sorted(strange)))}"
    if found := FILLER.search(words):
        yield f"has \"{found[0]}\""
    if found := ADDRESS.search(words):
        yield f"has an address, \"{found[0]}\""
    if "  " in words or not words.endswith("."):
        yield "is not made of sentences"


def faults(schemas, gates, file, texts):
    names = OTHER_NAMES.union(name for s in schemas.values() for fields in s.types.values() for name in fields)
    for text in texts:
        found = [*form_faults(text.words), *feature_faults(text.words, gates), *name_faults(text.words, names)]
        field = schemas[file].types.get(text.type, {}).get(text.field)
        if field:
            values = enum_of(schemas, file, field.type)
            found += enum_faults(text.words, values) if values else []
            found += default_faults(text.words, field, values)
        found += unit_faults(text.field, text.words)
        for fault in found:
            yield f"{text.where}: {text.type}{'.' if text.field else ''}{text.field} {fault}"


def long_lines(name, text):
    for number, line in enumerate(text.splitlines(), 1):
        if len(line) > LONGEST_LINE or line != line.rstrip():
            yield f"{name}:{number}: more than {LONGEST_LINE} characters, or blanks at the end"


class DescriptionsTest(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        self.schemas = {p.stem: parse_schema(p.read_text()) for p in sorted((ROOT / "schema").glob("*.kschema"))}
        self.files = {p.stem: p.read_text() for p in sorted((ROOT / "schema/descriptions").glob("*.txt"))}
        self.gates = parse_gates((ROOT / "src/app/feature_gates.cc").read_text())

    def test_the_words_agree_with_the_schemas(self):
        found = []
        for name, text in self.files.items():
            self.assertIn(name, self.schemas)
            found += faults(self.schemas, self.gates, name, parse_descriptions(f"{name}.txt", text))
        self.assertEqual(found, [])

    def test_lines_are_short(self):
        self.assertEqual([fault for name, text in self.files.items() for fault in long_lines(f"{name}.txt", text)], [])

    def test_schemas_and_gates_are_read(self):
        core = self.schemas["core_v1"]
        self.assertEqual(core.enums["PullPolicy"], ["Always", "IfNotPresent", "Never"])
        self.assertIn("SIGTERM", core.enums["Signal"])
        self.assertEqual(core.types["ServicePort"]["protocol"], Field("Protocol", "TCP"))
        self.assertEqual(self.schemas["certificates_v1"].enums["KeyUsage"][1], "cert sign")
        self.assertGreater(len(self.gates), 100)

    def test_wrong_enumerations_are_found(self):
        values = ["Always", "IfNotPresent", "Never"]
        self.assertEqual(list(enum_faults("When to pull: Always, IfNotPresent or Never.", values)), [])
        self.assertEqual(list(enum_faults("When to pull: Always, Sometimes or Never.", values)),
                         ["Sometimes is no value; they are Always IfNotPresent Never",
                          "names Always Never, but not IfNotPresent"])
        self.assertEqual(list(enum_faults("A policy such as Always or Never.", values)), [])
        self.assertEqual(list(enum_faults("Always pulls.", values)), [])

    def test_wrong_defaults_are_found(self):
        values = ["SCTP", "TCP", "UDP"]
        for words in ("The default is UDP.", "UDP, the default, or TCP.", "The default, UDP, is old."):
            self.assertEqual(list(default_faults(words, Field("Protocol", "TCP"), values)),
                             ["says the default is UDP; the schema says TCP"])
        self.assertEqual(list(default_faults("The default is TCP.", Field("Protocol", "TCP"), values)), [])
        self.assertEqual(list(default_faults("The default is HTTP.", Field("Protocol", None), values)),
                         ["says the default is HTTP, which is no value; they are SCTP TCP UDP"])
        self.assertEqual(list(default_faults("The default is on.", Field("bool", None), None)),
                         ["says the default of a boolean is on"])
        self.assertEqual(list(default_faults("The default is the value of port.", Field("int32", None), None)), [])

    def test_missing_units_are_found(self):
        self.assertEqual(list(unit_faults("timeoutSeconds", "Time in milliseconds.")),
                         ["does not say that the unit is second"])
        self.assertEqual(list(unit_faults("timeoutSeconds", "Seconds to wait.")), [])
        self.assertEqual(len(list(unit_faults("sizeBytes", "Size of the image."))), 1)

    def test_wrong_features_are_found(self):
        gates = {"Old": ("ga", True), "New": ("alpha", False), "Known": ("beta", True)}
        self.assertEqual(list(feature_faults("Belongs to the beta feature New.", gates)), ["New is alpha, not beta"])
        self.assertEqual(list(feature_faults("Belongs to the feature Old.", gates)), ["Old is ga and needs no mention"])
        self.assertEqual(list(feature_faults("Part of the feature Known, which is off by default.", gates)),
                         ["Known is on by default"])
        self.assertEqual(list(feature_faults("Part of the feature Else.", gates)), ["Else is no feature gate"])

    def test_form_and_names_are_checked(self):
        for words in ("Specifies the name.", "At https://x.test.", "x" * 401 + ".", "Caf\u00e9.", "No full stop"):
            self.assertEqual(len(list(form_faults(words))), 1, words)
        self.assertEqual(list(name_faults("Excludes sinceTime.", {"sinceSeconds"})),
                         ["sinceTime is no field of any schema"])


if __name__ == "__main__":
    sys.exit(unittest.main())
