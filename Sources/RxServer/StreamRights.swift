internal import RxHost
internal import RxJSON

/// What one client may do with streams: with a stream, what it may do with everything that the stream reads and gives
/// elements to, and what the configuration grants.
struct StreamRights {
    private let client: Client
    /// The rights on the streams that are known completely.
    private var known: [String: Rights.Operations] = [:]
    /// The streams on the way to the present one. Conditions can read in a circle: such a stream restricts itself no
    /// further, and what depends on it is not known completely.
    private var path: Set<String> = []
    private var visible: Set<String>?

    init(client: Client) { self.client = client }

    /// Everything that the client may do with a stream.
    mutating func all(on stream: any HostedStream) -> Rights.Operations {
        known[stream.name] ?? find(StreamGrounds(stream)).rights
    }

    /// Everything that the client may do with a stream of this name. If it is no longer configured, that is what the
    /// client could do with it; nobody knows that of the streams of an earlier daemon.
    mutating func all(onStreamNamed name: String) -> Rights.Operations {
        if let rights = known[name] { return rights }
        let grounds = client.host.grounds(ofStream: name)
        return grounds.map { find($0).rights } ?? client.rights(under: .nobody)
    }

    /// What the client may do with everything that the stream reads and gives elements to.
    private mutating func ofParts(on stream: any HostedStream) -> Rights.Operations {
        findParts(of: StreamGrounds(stream)).rights
    }

    /// A stream with what the client may do with it and see of it.
    mutating func visible(_ stream: any HostedStream) -> VisibleStream {
        VisibleStream(stream: stream, rights: all(on: stream), view: view(of: stream))
    }

    /// What the client may see of a stream that it may read: everything, unless only the configuration grants that.
    mutating func view(of stream: any HostedStream) -> StreamView {
        if ofParts(on: stream).contains(.read) { return StreamView() }
        return StreamView(showsTexts: false, visible: visibleNames())
    }

    /// The actions, reactors, and streams that the client may read.
    private mutating func visibleNames() -> Set<String> {
        if let names = visible { return names }
        let (registry, streams) = (client.host.registry, client.host.streams)
        var names = Set(registry.actions.filter { client.mayRead($0) }.map(\.name))
        names.formUnion(registry.reactors.filter { client.mayRead($0) }.map(\.name))
        for stream in streams.values where all(on: stream).contains(.read) { names.insert(stream.name) }
        visible = names
        return names
    }

    private typealias Found = (rights: Rights.Operations, isComplete: Bool)

    private mutating func find(_ stream: StreamGrounds) -> Found {
        if let rights = known[stream.name] { return (rights, true) }
        var found = findParts(of: stream)
        if let access = stream.access { found.rights.formUnion(client.rights(under: access)) }
        if found.isComplete { known[stream.name] = found.rights }
        return found
    }

    /// Nil without a stream of this name.
    private mutating func find(_ name: String, orFormer: Bool) -> Found? {
        guard orFormer || client.host.streams[name] != nil else { return nil }
        if let rights = known[name] { return (rights, true) }
        return client.host.grounds(ofStream: name).map { find($0) }
    }

    private mutating func findParts(of stream: StreamGrounds) -> Found {
        guard path.insert(stream.name).inserted else { return (.all, false) }
        defer { path.remove(stream.name) }
        var found: Found = (.all, true)
        if stream.readsMachine, !client.mayManage { found.rights = [] }
        let host = client.host
        for name in stream.related where !found.rights.isEmpty && name != Self.everything {
            if let source: Hosted = host.registry[name] ?? host.registry.reactor(name) {
                found.rights.formIntersection(client.rights(on: source))
            } else if stream.isFormer, let access = host.access(toFormer: name) {
                found.rights.formIntersection(client.rights(under: access))
            } else if let others = find(name, orFormer: stream.isFormer) {
                found.rights.formIntersection(others.rights)
                found.isComplete = found.isComplete && others.isComplete
            } else {
                // A reload has removed it, and has not replaced the stream yet.
                found.rights = stream.isFormer ? client.rights(under: .nobody) : []
            }
        }
        return found
    }

    /// The name that stands for all actions; `HostedStream.readsMachine` has what it means for rights.
    private static let everything = "*"
}

/// A stream as one client may see it. Made on the loop, and read on any thread.
struct VisibleStream: Sendable {
    let stream: any HostedStream
    let rights: Rights.Operations
    let view: StreamView

    /// A stream as `stream.list` reports it, without rights.
    var summary: JSONObject { view.redacted(stream.summary, for: rights) }

    /// A stream in the snapshot of a subscription: its summary, and the current values of a level.
    var snapshot: JSONObject {
        var snapshot = summary
        if let values = stream.currentValues { snapshot["values"] = .array(values.map { $0.value() }) }
        return snapshot
    }
}
