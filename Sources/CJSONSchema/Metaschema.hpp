#pragma once

namespace schema {

// What a schema of draft 7 looks like, as a schema. Stricter than the published one in `writeOnly`, which
// that forgets; conditions where it has alternatives, for what they say of a mistake.
inline constexpr char metaschema[] = R"json({
    "definitions": {
        "schemas": { "type": "array", "minItems": 1, "items": { "$ref": "#" } },
        "named": { "type": "object", "additionalProperties": { "$ref": "#" } },
        "count": { "type": "integer", "minimum": 0 },
        "names": { "type": "array", "items": { "type": "string" }, "uniqueItems": true },
        "type": { "enum": ["array", "boolean", "integer", "null", "number", "object", "string"] }
    },
    "type": ["object", "boolean"],
    "properties": {
        "$id": { "type": "string" },
        "$schema": { "type": "string" },
        "$ref": { "type": "string" },
        "$comment": { "type": "string" },
        "title": { "type": "string" },
        "description": { "type": "string" },
        "readOnly": { "type": "boolean" },
        "writeOnly": { "type": "boolean" },
        "examples": { "type": "array" },
        "multipleOf": { "type": "number", "exclusiveMinimum": 0 },
        "maximum": { "type": "number" },
        "exclusiveMaximum": { "type": "number" },
        "minimum": { "type": "number" },
        "exclusiveMinimum": { "type": "number" },
        "maxLength": { "$ref": "#/definitions/count" },
        "minLength": { "$ref": "#/definitions/count" },
        "pattern": { "type": "string" },
        "items": {
            "if": { "type": "array" }, "then": { "$ref": "#/definitions/schemas" }, "else": { "$ref": "#" }
        },
        "additionalItems": { "$ref": "#" },
        "maxItems": { "$ref": "#/definitions/count" },
        "minItems": { "$ref": "#/definitions/count" },
        "uniqueItems": { "type": "boolean" },
        "contains": { "$ref": "#" },
        "maxProperties": { "$ref": "#/definitions/count" },
        "minProperties": { "$ref": "#/definitions/count" },
        "required": { "$ref": "#/definitions/names" },
        "definitions": { "$ref": "#/definitions/named" },
        "$defs": { "$ref": "#/definitions/named" },
        "properties": { "$ref": "#/definitions/named" },
        "patternProperties": { "$ref": "#/definitions/named" },
        "additionalProperties": { "$ref": "#" },
        "dependencies": {
            "type": "object",
            "additionalProperties": {
                "if": { "type": "array" }, "then": { "$ref": "#/definitions/names" }, "else": { "$ref": "#" }
            }
        },
        "propertyNames": { "$ref": "#" },
        "enum": { "type": "array" },
        "type": {
            "if": { "type": "array" },
            "then": { "items": { "$ref": "#/definitions/type" }, "minItems": 1, "uniqueItems": true },
            "else": { "$ref": "#/definitions/type" }
        },
        "format": { "type": "string" },
        "contentMediaType": { "type": "string" },
        "contentEncoding": { "type": "string" },
        "if": { "$ref": "#" },
        "then": { "$ref": "#" },
        "else": { "$ref": "#" },
        "allOf": { "$ref": "#/definitions/schemas" },
        "anyOf": { "$ref": "#/definitions/schemas" },
        "oneOf": { "$ref": "#/definitions/schemas" },
        "not": { "$ref": "#" }
    }
})json";

}  // namespace schema
