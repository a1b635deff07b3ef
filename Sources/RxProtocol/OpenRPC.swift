public import RxJSON

/// The protocol as an OpenRPC 1.2 document, which `rpc.discover` answers.
public enum OpenRPC {
    /// The whole document.
    public static var document: JSONValue {
        [
            "openrpc": "1.2.6",
            "info": ["title": "rxd", "version": .string(ReleaseVersion.current)],
            "methods": .array(Method.allCases.map { method($0.contract) }),
            "components": components(closed: false),
            // OpenRPC has no word for what a server sends unasked.
            "x-notifications": [
                [
                    "name": "event", "summary": .string(NamedType.event.summary),
                    "params": ValueType.named(.event).schema,
                ]
            ],
        ]
    }

    /// The named types, to which all schemas of the document refer.
    ///
    /// - Parameter closed: see `NamedType.schema(closed:)`.
    public static func components(closed: Bool) -> JSONValue {
        ["schemas": .object(JSONObject(NamedType.all.map { ($0.name, $0.schema(closed: closed)) }))]
    }

    private static func method(_ contract: MethodDescription) -> JSONValue {
        [
            "name": .string(contract.method.rawValue),
            "summary": .string(contract.summary),
            "paramStructure": "by-name",
            "params": .array(
                contract.parameters.map { parameter in
                    [
                        "name": .string("\(parameter.name)"), "summary": .string(parameter.summary),
                        "required": .bool(parameter.required), "schema": parameter.type.schema,
                    ]
                }),
            "result": ["name": .string(contract.resultName), "schema": contract.result.schema],
            "errors": .array(
                contract.errors.map { code in
                    [
                        "code": JSONValue(code.rawValue), "message": .string(code.meaning),
                        "data": ValueType.named(code.dataType).schema,
                    ]
                }),
        ]
    }
}
