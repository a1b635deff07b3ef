internal import Glibc
internal import JSONRPC
internal import RxHost
internal import RxJSON
internal import RxPlatform
internal import RxProtocol

/// `server.status`: figures of the daemon.
struct ServerStatus: MethodHandler {
    static let method = Method.serverStatus
    static let onlyAnswers = true

    private let call: Call
    private let withUsers: Bool
    private let withProcess: Bool

    init(_ params: JSONView?, _ call: Call) throws(RPCError) {
        let parameters = try Parameters(params, of: Self.method)
        withUsers = try parameters.optionalBool("users") ?? false
        withProcess = try parameters.optionalBool("process") ?? false
        try call.client.authorize(.read, for: Self.method)
        self.call = call
    }

    func perform() {
        let context = call.context
        let host = context.host
        let sessions = call.session.table
        // Read before the reply is written: during that, this connection's outbox must not be accessed.
        let queuedBytes = sessions.queuedBytes
        let accounts = visibleAccounts
        call.reply.success { writer in
            writer.beginObject()
            writer.field("version", ReleaseVersion.current)
            writer.field("pid", Int(getpid()))
            writer.field("epoch", host.epoch)
            writer.key("startedAt")
            writer.time(context.started.milliseconds)
            writer.field("cursor", context.encoder.cursor(host.log.cursor))
            writer.field("actions", host.registry.actions.count)
            writer.field("executions", host.log.inFlight.count)
            writer.field("connections", sessions.served)
            writer.field("subscriptions", sessions.subscriptions.count)
            writer.field("queuedBytes", queuedBytes)
            if !accounts.isEmpty {
                writer.key("users")
                writer.beginArray()
                for account in accounts { account.write(storeReads: host.waitingReads(of: account.uid), to: &writer) }
                writer.endArray()
            }
            if withProcess {
                let (seconds, attoseconds) = host.platform.processorTime.now.components
                writer.field("processorMilliseconds", Int(seconds * 1000 + attoseconds / 1_000_000_000_000_000))
                if let bytes = host.platform.allocator.residentBytes() { writer.field("residentBytes", bytes) }
                if let path = context.directories.configuration { writer.field("configuration", path) }
                if let path = context.directories.state { writer.field("state", path) }
            }
            writer.endObject()
        }
    }

    /// The accounts that the client may see; none unless requested.
    private var visibleAccounts: [Account] {
        guard withUsers else { return [] }
        let all = call.context.accounts.all
        return call.client.isMaster ? all : all.filter { $0.uid == call.peer.uid }
    }
}

extension Account {
    fileprivate func write(storeReads: Int, to writer: inout JSONWriter) {
        writer.beginObject()
        writer.field("uid", Int(uid))
        writer.field("connections", connections)
        writer.field("queuedBytes", outboundBytes)
        writer.field("heldBytes", held.count)
        writer.field("keptBytes", keptBytes)
        writer.field("waitingRequests", longAnswers.count)
        writer.field("longLines", longLines.count)
        writer.field("storeReads", storeReads)
        writer.endObject()
    }
}
