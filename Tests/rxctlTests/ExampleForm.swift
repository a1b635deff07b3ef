import RxJSON

enum ExampleForm {
    static let schema: JSONValue = [
        "type": "object", "required": ["env", "version", "count"],
        "properties": [
            "env": ["enum": ["staging", "prod"]], "version": ["type": "string"],
            "count": ["type": "integer", "minimum": 1], "force": ["type": "boolean"],
            "labels": ["type": "array"],
        ],
    ]
}
