internal import RxRecords
internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxProtocol

// What is particular to subscriptions to reactors.

extension ReactorLevels {
    func write(to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("state")
        state.write(to: &writer)
        writer.field("revision", revision)
        writer.endObject()
    }
}

extension Subscription {
    /// Its reader has the states of the snapshot.
    func begin(with opening: EventOpening, wantsPatches: Bool) {
        self.wantsPatches = wantsPatches
        for (source, levels) in zip(source.sources, opening.levels) {
            if case .reactor(let levels) = levels { revisions[ObjectIdentifier(source)] = levels.revision }
        }
    }
}

extension Session {
    func target(
        reactors names: [String], _ parameters: Parameters
    ) throws(RPCError) -> (Subscription.Target, EventSource) {
        // All that the peer may subscribe to.
        if names.contains("*") {
            return (.allReactors, .named(server.host.registry.reactors.filter(maySubscribe)))
        }
        guard !names.isEmpty else { throw parameters.fault("reactor", "must be a name, several, or \"*\"") }
        var found: [HostedReactor] = []
        for name in names {
            let reactor = try reactor(name, for: .subscribe)
            // It has no state to begin with.
            if let fault = reactor.failure { throw RPCError(fault, reactor: name) }
            if !found.contains(where: { $0 === reactor }) { found.append(reactor) }
        }
        return (.named, .named(found))
    }

    func watchPatches(of source: Hosted, by change: Int) { (source as? HostedReactor)?.watchPatches(change) }

    func watchPatches(_ subscription: Subscription, by change: Int) {
        for source in subscription.source.sources { watchPatches(of: source, by: change) }
    }
}
