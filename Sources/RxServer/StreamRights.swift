internal import RxHost

/// What one client may do with streams: with a stream, what it may do with everything that the stream reads and gives
/// elements to, and what the configuration grants.
struct StreamRights {
    private let client: Client
    /// Of the streams that are known completely.
    private var known: [String: Rights.Operations] = [:]
    /// The streams on the way to the present one. Conditions can read in a circle: such a stream restricts itself no
    /// further, and what depends on it is not known completely.
    private var path: Set<String> = []

    init(client: Client) { self.client = client }

    /// Everything that the client may do with a stream.
    mutating func all(on stream: any HostedStream) -> Rights.Operations { find(stream).rights }

    /// What the client may do with everything that the stream reads and gives elements to.
    mutating func ofParts(on stream: any HostedStream) -> Rights.Operations { findParts(of: stream).rights }

    private typealias Found = (rights: Rights.Operations, isComplete: Bool)

    private mutating func find(_ stream: any HostedStream) -> Found {
        if let rights = known[stream.name] { return (rights, true) }
        var found = findParts(of: stream)
        if let access = stream.access { found.rights.formUnion(client.rights(under: access)) }
        if found.isComplete { known[stream.name] = found.rights }
        return found
    }

    private mutating func findParts(of stream: any HostedStream) -> Found {
        guard path.insert(stream.name).inserted else { return (.all, false) }
        defer { path.remove(stream.name) }
        var found: Found = (.all, true)
        if stream.readsMachine, !client.mayManage { found.rights = [] }
        let host = client.host
        for name in stream.related where !found.rights.isEmpty && name != Self.everything {
            if let source: Hosted = host.registry[name] ?? host.registry.reactor(name) {
                found.rights.formIntersection(client.rights(on: source))
            } else if let other = host.streams[name] {
                let others = find(other)
                found.rights.formIntersection(others.rights)
                found.isComplete = found.isComplete && others.isComplete
            } else {
                // A reload has removed it, and has not replaced the stream yet.
                found.rights = []
            }
        }
        return found
    }

    /// The name that stands for all actions; `HostedStream.readsMachine` has what it means for rights.
    private static let everything = "*"
}
