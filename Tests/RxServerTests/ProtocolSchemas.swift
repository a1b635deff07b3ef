import RxJSON
import RxProtocol
import Testing

/// The schemas of the protocol, closed: a field that is not described is a fault.
enum ProtocolSchemas {
    /// The faults of a request's params; none if the daemon must accept them.
    static func faults(ofParams params: JSONValue?, of method: Method) throws -> [String] {
        try faults(of: params ?? [:], parameters[method])
    }

    static func faults(ofResult result: JSONValue, of method: Method) throws -> [String] {
        try faults(of: result, results[method])
    }

    static func faults(ofError error: JSONValue) throws -> [String] { try faults(of: error, self.error) }

    /// - Parameter event: the `params` of an `event` notification.
    static func faults(ofEvent event: JSONValue) throws -> [String] { try faults(of: event, self.event) }

    private static func faults(of value: JSONValue, _ schema: JSONSchema?) throws -> [String] {
        try #require(schema).violations(of: RawJSON(value)).map { "\($0.path): \($0.message)" }
    }

    private static let parameters = byMethod(\.parametersSchema)
    private static let results = byMethod(\.result.schema)
    private static let error = schema(["$ref": "#/components/schemas/Error"])
    private static let event = schema(["$ref": "#/components/schemas/Event"])

    private static func byMethod(_ part: (MethodDescription) -> JSONValue) -> [Method: JSONSchema] {
        Dictionary(uniqueKeysWithValues: Method.allCases.map { ($0, schema(part($0.contract))) })
    }

    private static func schema(_ part: JSONValue) -> JSONSchema {
        // Beside a `$ref` the components would be ignored.
        let whole: JSONValue = ["allOf": [part], "components": OpenRPC.components(closed: true)]
        do {
            return try JSONSchema(RawJSON(whole))
        } catch {
            fatalError("a schema of the protocol: \(error)")
        }
    }
}
