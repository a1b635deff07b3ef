public import RxJSON

/// The contract of one method: what it takes, what it answers, and how it can fail.
///
/// It is the single source of the names that the daemon accepts, of `rpc.discover`, and of `docs/protocol.md`.
public struct MethodDescription: Sendable {
    /// One parameter, passed by name.
    public struct Parameter: Sendable {
        /// The member of `params`.
        public let name: StaticString
        /// Whether a request without it is refused.
        public let required: Bool
        /// The JSON Schema of its value.
        public let schema: JSONValue
        /// One sentence on its meaning and its default.
        public let summary: String
    }

    /// The method that this describes.
    public let method: Method
    /// One sentence on what the method does and when it answers.
    public let summary: String
    /// The parameters, required ones first. Any other is refused.
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
            "name": .string(method.rawValue),
            "summary": .string(summary),
            "paramStructure": "by-name",
            "params": .array(
                parameters.map { parameter in
                    [
                        "name": .string("\(parameter.name)"), "summary": .string(parameter.summary),
                        "required": .bool(parameter.required), "schema": parameter.schema,
                    ]
                }),
            "result": ["name": .string(result.name), "schema": result.schema],
            "errors": .array(
                errors.map { ["code": .number(JSONNumber($0.rawValue)), "message": .string($0.meaning)] }),
        ]
    }

    /// The OpenRPC document of every method.
    public static var openRPCDocument: JSONValue {
        [
            "openrpc": "1.2.6",
            "info": ["title": "rxd", "version": .string(ReleaseVersion.current)],
            "methods": .array(Method.allCases.map(\.contract.openRPC)),
        ]
    }
}
