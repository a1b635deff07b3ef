internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxLoop
internal import RxProtocol

/// `server.reload`: reads the configuration again, or only reports what would change.
///
/// The answer comes when the reload has ended, in the order in which reloads were requested. A client that leaves does
/// not take its reload back.
struct ServerReload: MethodHandler {
    static let method = Method.serverReload

    private let call: Call
    private let dryRun: Bool

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        dryRun = try Parameters(params, of: Self.method).optionalBool("dryRun") ?? false
        try call.client.authorize(.manage, for: Self.method)
        self.call = call
    }

    func perform() throws(RPCError) {
        guard let reloads = call.context.reloads else {
            throw refused(RPCError(.featureMissing, message: "this daemon has no configuration files to reload"))
        }
        let confined = LoopConfined(self)
        reloads.add(dryRun: dryRun) { [loop = call.context.loop, share = call.client.account.share] result in
            loop.execute(in: share) { confined.value.answer(result) }
        }
    }

    private func answer(_ result: Result<RegistryChange, ReloadFailure>) {
        switch result {
        case .failure(let failure): call.reply.failure(refused(RPCError(failure)))
        case .success(let change):
            call.client.audit(AuditRecord(method: Self.method, outcome: .effect(dryRun ? "checked" : "done")))
            // Messages may have values of states.
            let faults = change.faults.map { [client = call.client] in
                let isRevealed = client.maySubscribe(toReactor: $0.reactor)
                return "reactor \($0.reactor): \(isRevealed ? $0.fault.text : $0.fault.publicText)"
            }
            call.reply.success { change.write(faults, to: &$0) }
        }
    }

    /// Writes the audit record of an error.
    private func refused(_ error: RPCError) -> RPCError {
        call.client.audit(AuditRecord(method: Self.method, outcome: .refusal(error.name)))
        return error
    }
}

extension RPCError {
    fileprivate init(_ failure: ReloadFailure) {
        switch failure {
        case .faults(let faults):
            self.init(.invalidParams, message: "the configuration has faults; the old one stays in force") { writer in
                writer.key("faults")
                writer.strings(faults)
            }
        case .full(let limit): self = .limitReached("reloads", limit)
        case .stopping: self.init(.shuttingDown)
        }
    }
}

extension RegistryChange {
    fileprivate func write(_ faults: [String], to writer: inout JSONWriter) {
        writer.beginObject()
        writer.key("added")
        writer.strings(added)
        writer.key("changed")
        writer.strings(changed)
        writer.key("removed")
        writer.strings(removed)
        writer.key("unchanged")
        writer.strings(unchanged)
        if let streams {
            writer.object("streams") { writer in
                for (key, names) in streams.lists {
                    writer.key(key)
                    writer.strings(names)
                }
            }
        }
        if !faults.isEmpty {
            writer.key("faults")
            writer.strings(faults)
        }
        writer.endObject()
    }
}

extension StreamsChange {
    /// The lists, in the order of the protocol.
    fileprivate var lists: [(StaticString, [String])] {
        [
            ("started", started), ("stopped", stopped), ("startedOver", startedOver), ("reset", reset),
            ("restarted", restarted), ("unchanged", unchanged),
        ]
    }
}
