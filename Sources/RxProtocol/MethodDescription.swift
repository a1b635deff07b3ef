public import RxJSON

/// The contract of one method: what it takes, what it answers, and how it can fail.
///
/// It is the single source of the names that the daemon accepts, of `rpc.discover`, and of `docs/protocol.md`.
public struct MethodDescription: Sendable {
    /// One parameter, passed by name.
    public struct Parameter: Sendable {
        /// The member of `params`.
        public let name: StaticString
        /// The parameter's value.
        public let type: ValueType
        /// Whether a request without it is refused.
        public let required: Bool
        /// One sentence on its meaning and its default.
        public let summary: String

        /// A parameter without which a request is refused.
        static func required(_ name: StaticString, _ type: ValueType, _ summary: String) -> Parameter {
            Parameter(name: name, type: type, required: true, summary: summary)
        }

        /// A parameter that may be absent.
        static func optional(_ name: StaticString, _ type: ValueType, _ summary: String) -> Parameter {
            Parameter(name: name, type: type, required: false, summary: summary)
        }
    }

    /// The method that this describes.
    public let method: Method
    /// One or two sentences on what the method does and when it answers.
    public let summary: String
    /// The parameters, required ones first. Any other is refused.
    public let parameters: [Parameter]
    /// The name of the result in the OpenRPC document.
    public let resultName: String
    /// The result.
    public let result: ValueType
    /// Errors of the protocol, beyond JSON-RPC's own, that the method answers with.
    public let errors: [ErrorCode]

    init(
        method: Method, summary: String, parameters: [Parameter] = [], result: (name: String, type: ValueType),
        errors: [ErrorCode] = []
    ) {
        self.method = method
        self.summary = summary
        self.parameters = parameters
        resultName = result.name
        self.result = result.type
        self.errors = errors
    }

    init(
        method: Method, summary: String, parameters: [Parameter] = [], result: (name: String, type: NamedType),
        errors: [ErrorCode] = []
    ) {
        self.init(
            method: method, summary: summary, parameters: parameters, result: (result.name, .named(result.type)),
            errors: errors)
    }
}

extension MethodDescription {
    /// The JSON Schema of the request's `params`.
    public var parametersSchema: JSONValue {
        [
            "type": "object",
            "required": .array(parameters.filter(\.required).map { .string("\($0.name)") }),
            "properties": .object(JSONObject(parameters.map { ("\($0.name)", $0.type.schema) })),
            "additionalProperties": false,
        ]
    }
}
