import RxJSON
import RxProtocol
import Testing

@Suite("The OpenRPC document")
struct OpenRPCTests {
    /// What the specification of OpenRPC 1.2.6 states of the parts that the document uses.
    private static let meta: JSONValue = [
        "definitions": [
            "descriptor": [
                "type": "object", "required": ["name", "schema"],
                "properties": [
                    "name": ["type": "string", "minLength": 1], "summary": ["type": "string"],
                    "required": ["type": "boolean"], "schema": ["type": ["object", "boolean"]],
                ],
                "additionalProperties": false,
            ],
            "error": [
                "type": "object", "required": ["code", "message"],
                "properties": ["code": ["type": "integer"], "message": ["type": "string"], "data": [:]],
                "additionalProperties": false,
            ],
            "method": [
                "type": "object", "required": ["name", "params", "result"],
                "properties": [
                    "name": ["type": "string", "pattern": "^[a-z]+(\\.[a-z]+)?$"],
                    "summary": ["type": "string", "minLength": 1],
                    "paramStructure": ["enum": ["by-name", "by-position", "either"]],
                    "params": ["type": "array", "items": ["$ref": "#/definitions/descriptor"]],
                    "result": ["$ref": "#/definitions/descriptor"],
                    "errors": ["type": "array", "items": ["$ref": "#/definitions/error"]],
                ],
                "additionalProperties": false,
            ],
        ],
        "type": "object", "required": ["openrpc", "info", "methods"],
        "properties": [
            "openrpc": ["type": "string", "pattern": "^1\\.2\\.[0-6]$"],
            "info": [
                "type": "object", "required": ["title", "version"],
                "properties": ["title": ["type": "string"], "version": ["type": "string"]],
                "additionalProperties": false,
            ],
            "methods": ["type": "array", "items": ["$ref": "#/definitions/method"]],
            "components": [
                "type": "object",
                "properties": ["schemas": ["type": "object", "additionalProperties": ["type": "object"]]],
                "additionalProperties": false,
            ],
        ],
        "patternProperties": ["^x-": [:]], "additionalProperties": false,
    ]

    @Test("is valid")
    func valid() throws {
        let meta = try JSONSchema(RawJSON(Self.meta))
        #expect(meta.violations(of: RawJSON(OpenRPC.document)) == [])
        let names = try #require(OpenRPC.document["methods"]?.array).map { $0["name"]?.string }
        #expect(names == Method.allCases.map(\.rawValue))
    }

    @Test("gives each error of a method a code of its own", arguments: Method.allCases)
    func errors(_ method: Method) {
        #expect(Set(method.contract.errors).count == method.contract.errors.count)
    }

    @Test("has a schema that restricts something for each result", arguments: Method.allCases)
    func results(_ method: Method) throws {
        let components = OpenRPC.components(closed: false)
        let whole: JSONValue = ["allOf": [method.contract.result.schema], "components": components]
        let schema = try JSONSchema(RawJSON(whole))
        #expect(!schema.violations(of: .emptyObject).isEmpty, "an empty object is no result")
        #expect(!schema.violations(of: RawJSON("text")).isEmpty)
    }

    @Test("has every type that it refers to, under a name of its own")
    func references() throws {
        let names = NamedType.all.map(\.name)
        #expect(Set(names).count == names.count)
        var missing: Set<String> = []
        func look(_ value: JSONValue) {
            for member in value.object ?? [:] {
                if member.key == "$ref", let name = member.value.string?.dropFirst("#/components/schemas/".count),
                    !names.contains(String(name))
                {
                    missing.insert(String(name))
                }
                look(member.value)
            }
            for element in value.array ?? [] { look(element) }
        }
        look(OpenRPC.document)
        #expect(missing == [])
    }

    @Test("describes events of every channel")
    func channels() throws {
        let event = try #require(NamedType.all.first { $0.name == "Event" })
        let text = RawJSON(event.schema()).text
        for channel in Channel.allCases {
            let types = NamedType.all.filter { type in
                guard case .record(let fields, _) = type.shape, text.contains("/\(type.name)\"") else { return false }
                return fields.contains { field in
                    guard field.name == "channel", case .word(let words) = field.type else { return false }
                    return words == [channel.rawValue]
                }
            }
            #expect(!types.isEmpty, "\(channel)")
        }
    }
}
