#pragma once

namespace schema {

// Every schema is checked against this one. It accepts what the published meta-schema accepts, formats apart, and has
// conditions in place of alternatives, for the sake of the messages.
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

// The meta-schema as published at http://json-schema.org/draft-07/schema#, for schemas that refer to it.
inline constexpr char publishedMetaschema[] = R"json({
    "$schema": "http://json-schema.org/draft-07/schema#",
    "$id": "http://json-schema.org/draft-07/schema#",
    "title": "Core schema meta-schema",
    "definitions": {
        "schemaArray": { "type": "array", "minItems": 1, "items": { "$ref": "#" } },
        "nonNegativeInteger": { "type": "integer", "minimum": 0 },
        "nonNegativeIntegerDefault0": { "allOf": [{ "$ref": "#/definitions/nonNegativeInteger" }, { "default": 0 }] },
        "simpleTypes": { "enum": ["array", "boolean", "integer", "null", "number", "object", "string"] },
        "stringArray": { "type": "array", "items": { "type": "string" }, "uniqueItems": true, "default": [] }
    },
    "type": ["object", "boolean"],
    "properties": {
        "$id": { "type": "string", "format": "uri-reference" },
        "$schema": { "type": "string", "format": "uri" },
        "$ref": { "type": "string", "format": "uri-reference" },
        "$comment": { "type": "string" },
        "title": { "type": "string" },
        "description": { "type": "string" },
        "default": true,
        "readOnly": { "type": "boolean", "default": false },
        "writeOnly": { "type": "boolean", "default": false },
        "examples": { "type": "array", "items": true },
        "multipleOf": { "type": "number", "exclusiveMinimum": 0 },
        "maximum": { "type": "number" },
        "exclusiveMaximum": { "type": "number" },
        "minimum": { "type": "number" },
        "exclusiveMinimum": { "type": "number" },
        "maxLength": { "$ref": "#/definitions/nonNegativeInteger" },
        "minLength": { "$ref": "#/definitions/nonNegativeIntegerDefault0" },
        "pattern": { "type": "string", "format": "regex" },
        "additionalItems": { "$ref": "#" },
        "items": { "anyOf": [{ "$ref": "#" }, { "$ref": "#/definitions/schemaArray" }], "default": true },
        "maxItems": { "$ref": "#/definitions/nonNegativeInteger" },
        "minItems": { "$ref": "#/definitions/nonNegativeIntegerDefault0" },
        "uniqueItems": { "type": "boolean", "default": false },
        "contains": { "$ref": "#" },
        "maxProperties": { "$ref": "#/definitions/nonNegativeInteger" },
        "minProperties": { "$ref": "#/definitions/nonNegativeIntegerDefault0" },
        "required": { "$ref": "#/definitions/stringArray" },
        "additionalProperties": { "$ref": "#" },
        "definitions": { "type": "object", "additionalProperties": { "$ref": "#" }, "default": {} },
        "properties": { "type": "object", "additionalProperties": { "$ref": "#" }, "default": {} },
        "patternProperties": {
            "type": "object", "additionalProperties": { "$ref": "#" }, "propertyNames": { "format": "regex" },
            "default": {}
        },
        "dependencies": {
            "type": "object",
            "additionalProperties": { "anyOf": [{ "$ref": "#" }, { "$ref": "#/definitions/stringArray" }] }
        },
        "propertyNames": { "$ref": "#" },
        "const": true,
        "enum": { "type": "array", "items": true },
        "type": {
            "anyOf": [
                { "$ref": "#/definitions/simpleTypes" },
                {
                    "type": "array", "items": { "$ref": "#/definitions/simpleTypes" }, "minItems": 1,
                    "uniqueItems": true
                }
            ]
        },
        "format": { "type": "string" },
        "contentMediaType": { "type": "string" },
        "contentEncoding": { "type": "string" },
        "if": { "$ref": "#" },
        "then": { "$ref": "#" },
        "else": { "$ref": "#" },
        "allOf": { "$ref": "#/definitions/schemaArray" },
        "anyOf": { "$ref": "#/definitions/schemaArray" },
        "oneOf": { "$ref": "#/definitions/schemaArray" },
        "not": { "$ref": "#" }
    },
    "default": true
})json";

}  // namespace schema
