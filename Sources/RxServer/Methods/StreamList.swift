internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol

/// `stream.list`: every stream that the client has any right on.
struct StreamList: MethodHandler {
    static let method = Method.streamList
    static let onlyAnswers = true

    private let call: Call
    private let withGraph: Bool

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        withGraph = try Parameters(params, of: Self.method).optionalBool("graph") ?? false
        self.call = call
    }

    func perform() throws(RPCError) {
        let bytes = Self.bytesOfStream * (withGraph ? 4 : 1)
        try call.writeAnswer(about: call.host.streams.count * bytes) { () throws(RPCError) in
            let streams = call.host.streams.values.sorted { $0.name < $1.name }
            var known = StreamRights(client: call.client)
            let rows = streams.compactMap { known.all(on: $0).contains(.read) ? known.visible($0) : nil }
            let targets = withGraph ? Targets(of: call.host, for: call.client) : nil
            return { [withGraph] writer in
                writer.object { writer in
                    writer.array("streams") { writer in
                        for row in rows { row.write(withGraph: withGraph, to: &writer) }
                    }
                    targets?.write(to: &writer)
                }
            }
        }
    }

    /// Bytes of a usual stream; with its graph, it has about four times as many.
    static let bytesOfStream = 1024

    /// The actions and reactors of a picture.
    private struct Targets: Sendable {
        private let actions: [(name: String, enabled: Enabled, conditions: [ConditionPart])]
        private let reactors: [(name: String, executes: [String])]

        init(of host: Host, for client: Client) {
            let found = host.registry.actions.filter { client.mayRead($0) }
            let (levels, parts) = (host.log.snapshot(of: found).levels, host.conditionParts)
            actions = zip(found, levels).map { action, levels in
                (action.name, client.shown(levels.enabled), (parts[action.name] ?? []).filter { client.shows($0) })
            }
            let names = Set(found.map(\.name))
            reactors = host.registry.reactors.filter { client.mayRead($0) }.map {
                ($0.name, $0.definition.executes.intersection(names).sorted())
            }
        }

        func write(to writer: inout JSONWriter) {
            writer.array("actions") { writer in
                for action in actions {
                    writer.object { writer in
                        writer.field("action", action.name)
                        action.enabled.write(to: &writer)
                        writer.array("conditions") { writer in
                            for part in action.conditions { part.write(to: &writer) }
                        }
                    }
                }
            }
            writer.array("reactors") { writer in
                for reactor in reactors {
                    writer.object { writer in
                        writer.field("reactor", reactor.name)
                        writer.key("executes")
                        writer.strings(reactor.executes)
                    }
                }
            }
        }
    }
}

extension VisibleStream {
    fileprivate func write(withGraph: Bool, to writer: inout JSONWriter) {
        var row = summary.with(rights)
        if withGraph { row["graph"] = .object(stream.graph(for: view)) }
        writer.value(.object(row))
    }
}

extension JSONObject {
    /// The members and the rights of a client.
    func with(_ rights: Rights.Operations) -> JSONObject {
        var object = self
        object["rights"] = .array(
            Rights.Operation.allCases.filter { rights.contains($0) }.map { .string($0.rawValue) })
        return object
    }
}

extension Client {
    fileprivate func shows(_ part: ConditionPart) -> Bool {
        switch part.kind {
        case .action: host.registry[part.name].map { mayRead($0) } ?? false
        case .reactor: host.registry.reactor(part.name).map { mayRead($0) } ?? false
        case .stream: host.streams[part.name].map { rights(on: $0).contains(.read) } ?? false
        }
    }
}

extension ConditionPart {
    fileprivate func write(to writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("kind", kind.rawValue)
            writer.field("name", name)
            writer.field("label", when)
        }
    }
}
