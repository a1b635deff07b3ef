internal import RxRecords
internal import RxHost
internal import RxJSON

/// A reactor as `reactor.list` and `reactor.describe` report it.
struct ReactorSummary: Sendable {
    private let definition: ReactorDefinition
    private let revision: UInt64
    private let rights: Rights.Operations
    private let withSchema: Bool

    /// - Parameters:
    ///   - rights: the client's.
    ///   - withSchema: whether to include the schema of its actions, which may be large.
    init(_ reactor: HostedReactor, rights: Rights.Operations, withSchema: Bool) {
        definition = reactor.definition
        revision = reactor.now.revision
        self.rights = rights
        self.withSchema = withSchema
    }

    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("reactor", definition.name)
        writer.key("description")
        writer.stringOrNull(definition.summary)
        writer.field("kind", definition.kind)
        writer.field("revision", revision)
        writer.field("persist", definition.persistence != nil)
        if let persistence = definition.persistence {
            writer.field("durability", persistence.durability.rawValue)
            writer.field("history", persistence.history)
            writer.field("historyBytes", persistence.historyBytes)
        }
        writer.key("rights")
        writer.strings(
            Rights.Operation.allCases.filter { rights.contains($0) }.map(\.rawValue))
        if withSchema {
            writer.key("schema")
            writer.raw(definition.schema?.source ?? .null)
        }
        writer.endObject()
    }
}
