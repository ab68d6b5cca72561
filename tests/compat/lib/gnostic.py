"""Reads /openapi/v2 in its protobuf form as what its JSON form would be, so that both can be compared alike."""

import struct

from lib.protobuf_wire import fields

# Of each message: the member that a field is, and of what it is made. Words in lower case are values, others
# are messages; [x] is a list of x. The member None is a map whose entries have names; "!" is all that a message is.
MESSAGES = {
    "Document": {1: ("swagger", "text"), 2: ("info", "Info"), 8: ("paths", "Paths"), 9: ("definitions", "Definitions"),
                 10: ("parameters", "Parameters"), 12: ("security", ["Security"]),
                 13: ("securityDefinitions", "SecurityDefinitions")},
    "Info": {1: ("title", "text"), 2: ("version", "text")},
    "Paths": {2: (None, "PathItem")},
    "Definitions": {1: (None, "Schema")},
    "Parameters": {1: (None, "Parameter")},
    "SecurityDefinitions": {1: (None, "SecurityDefinition")},
    "Security": {1: (None, "Strings")},
    "Strings": {1: ("!", ["text"])},
    "SecurityDefinition": {2: ("!", "ApiKey")},
    "ApiKey": {1: ("type", "text"), 2: ("name", "text"), 3: ("in", "text"), 4: ("description", "text")},
    "PathItem": {2: ("get", "Operation"), 3: ("put", "Operation"), 4: ("post", "Operation"), 5: ("delete", "Operation"),
                 6: ("options", "Operation"), 7: ("head", "Operation"), 8: ("patch", "Operation"),
                 9: ("parameters", ["ParametersItem"])},
    "Operation": {1: ("tags", ["text"]), 3: ("description", "text"), 5: ("operationId", "text"),
                  6: ("produces", ["text"]), 7: ("consumes", ["text"]), 8: ("parameters", ["ParametersItem"]),
                  9: ("responses", "Responses"), 10: ("schemes", ["text"]), 13: (None, "Any")},
    "ParametersItem": {1: ("!", "Parameter"), 2: ("!", "Reference")},
    "Reference": {1: ("$ref", "text")},
    "Parameter": {1: ("!", "BodyParameter"), 2: ("!", "NonBodyParameter")},
    "BodyParameter": {1: ("description", "text"), 2: ("name", "text"), 3: ("in", "text"), 4: ("required", "flag"),
                      5: ("schema", "Schema")},
    "NonBodyParameter": {3: ("!", "QueryParameter"), 4: ("!", "PathParameter")},
    "QueryParameter": {1: ("required", "flag"), 2: ("in", "text"), 3: ("description", "text"), 4: ("name", "text"),
                       6: ("type", "text"), 20: ("uniqueItems", "flag")},
    "PathParameter": {1: ("required", "flag"), 2: ("in", "text"), 3: ("description", "text"), 4: ("name", "text"),
                      5: ("type", "text"), 19: ("uniqueItems", "flag")},
    "Responses": {1: (None, "ResponseValue")},
    "ResponseValue": {1: ("!", "Response")},
    "Response": {1: ("description", "text"), 2: ("schema", "WrappedSchema")},
    "WrappedSchema": {1: ("!", "Schema"), 2: ("!", "flag")},
    "Any": {2: ("!", "yaml")},
    "Schema": {1: ("$ref", "text"), 2: ("format", "text"), 4: ("description", "text"), 5: ("default", "Any"),
               6: ("multipleOf", "double"), 7: ("maximum", "double"), 8: ("exclusiveMaximum", "flag"),
               9: ("minimum", "double"), 10: ("exclusiveMinimum", "flag"), 11: ("maxLength", "integer"),
               12: ("minLength", "integer"), 13: ("pattern", "text"), 14: ("maxItems", "integer"),
               15: ("minItems", "integer"), 16: ("uniqueItems", "flag"), 17: ("maxProperties", "integer"),
               18: ("minProperties", "integer"), 19: ("required", ["text"]), 20: ("enum", ["Any"]), 21: ("additionalProperties", "WrappedSchema"),
               22: ("type", "Type"), 23: ("items", "WrappedSchema"), 25: ("properties", "Definitions"),
               31: (None, "Any")},
    "Type": {1: ("!", "text")},
}


def decoded(data, kind):
    if kind == "text":
        return data.decode()
    if kind == "flag":
        return bool(data)
    if kind == "integer":
        return data
    if kind == "double":
        return struct.unpack("<d", data.to_bytes(8, "little"))[0]
    if kind == "yaml":
        return sorted(data.decode().split("\n"))  # members are in any order
    found = {}
    for number, value in fields(data):
        member, inner = MESSAGES[kind][number]
        if member is None:
            named = dict(fields(value))
            found[named[1].decode()] = decoded(named.get(2, b""), inner)
        elif member == "!" and not isinstance(inner, list):
            return decoded(value, inner)
        elif isinstance(inner, list):
            found.setdefault(member, []).append(decoded(value, inner[0]))
        else:
            found[member] = decoded(value, inner)
    return found.get("!", found) if kind != "Strings" else found.get("!", [])


def read(data):
    """The document that `data` is; KeyError: it has a field that is not known here."""
    return decoded(data, "Document")
