public import RxJSON

/// One method of the protocol as `rpc.discover` tells it.
public struct MethodDescription: Sendable {
    public struct Parameter: Sendable {
        public let name: String
        public let required: Bool
        /// A JSON Schema.
        public let schema: JSONValue
        public let summary: String
    }

    public let name: String
    public let summary: String
    public let parameters: [Parameter]
    /// The result's name and its JSON Schema.
    public let result: (name: String, schema: JSONValue)
    /// Errors of the protocol, beyond JSON-RPC's own, that the method answers with.
    public let errors: [ErrorCode]
}

extension MethodDescription {
    /// An OpenRPC 1.2 method object.
    public var openRPC: JSONValue {
        [
            "name": .string(name),
            "summary": .string(summary),
            "paramStructure": "by-name",
            "params": .array(
                parameters.map { parameter in
                    [
                        "name": .string(parameter.name), "summary": .string(parameter.summary),
                        "required": .bool(parameter.required), "schema": parameter.schema,
                    ]
                }),
            "result": ["name": .string(result.name), "schema": result.schema],
            "errors": .array(
                errors.map { ["code": .number(JSONNumber($0.rawValue)), "message": .string($0.meaning)] }),
        ]
    }

    /// The OpenRPC document of all `methods`.
    public static func openRPCDocument(of methods: [MethodDescription]) -> JSONValue {
        [
            "openrpc": "1.2.6",
            "info": ["title": "rxd", "version": .string(ReleaseVersion.current)],
            "methods": .array(methods.map(\.openRPC)),
        ]
    }
}
