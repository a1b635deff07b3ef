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
        try call.answer(about: call.host.streams.count * bytes) { () throws(RPCError) in answer() }
    }

    /// Bytes of a usual stream; with its graph, it has about four times as many.
    static let bytesOfStream = 1024

    private func answer() {
        let streams = call.host.streams.values.sorted { $0.name < $1.name }
        var known = StreamRights(client: call.client)
        call.reply.success { writer in
            writer.object { writer in
                writer.array("streams") { writer in
                    for stream in streams {
                        let rights = known.all(on: stream)
                        guard rights.contains(.read) else { continue }
                        let view = call.client.view(of: stream)
                        var row = view.redacted(stream.summary, for: rights).with(rights)
                        if withGraph { row["graph"] = .object(stream.graph(for: view)) }
                        writer.value(.object(row))
                    }
                }
                if withGraph { writeTargets(to: &writer) }
            }
        }
    }
}

extension StreamList {
    /// The actions and reactors of a picture.
    private func writeTargets(to writer: inout JSONWriter) {
        let client = call.client
        let actions = call.host.registry.actions.filter { client.mayRead($0) }
        let levels = call.host.log.snapshot(of: actions).levels
        let parts = call.host.conditionParts
        writer.array("actions") { writer in
            for (action, levels) in zip(actions, levels) {
                writer.object { writer in
                    writer.field("action", action.name)
                    client.shown(levels).enabled.write(to: &writer)
                    writer.array("conditions") { writer in
                        for part in parts[action.name] ?? [] where call.shows(part) { part.write(to: &writer) }
                    }
                }
            }
        }
        let names = Set(actions.map(\.name))
        writer.array("reactors") { writer in
            for reactor in call.host.registry.reactors where client.mayRead(reactor) {
                writer.object { writer in
                    writer.field("reactor", reactor.name)
                    writer.key("executes")
                    writer.strings(reactor.definition.executes.intersection(names).sorted())
                }
            }
        }
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

extension Call {
    fileprivate func shows(_ part: ConditionPart) -> Bool {
        switch part.kind {
        case .action: host.registry[part.name].map { client.mayRead($0) } ?? false
        case .reactor: host.registry.reactor(part.name).map { client.mayRead($0) } ?? false
        case .stream: host.streams[part.name].map { client.rights(on: $0).contains(.read) } ?? false
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
