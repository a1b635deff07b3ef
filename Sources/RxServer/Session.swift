internal import Rx
internal import RxHost
internal import RxProtocol

/// Everything that one client has opened and waits for, from the connection's beginning to its end.
final class Session {
    /// The peer, and its rights.
    let client: Client
    let context: ServerContext
    /// Everything that the client receives.
    let output: ConnectionOutput
    /// What this client waits for.
    let waits: Waits
    /// Executions this client withdraws from when it goes, by the token of its request.
    var requests: [UInt64: (execution: HostedExecution, observation: any Disposable)] = [:]
    /// The sessions of all clients.
    let table: SessionTable
    /// Whether the table counts it: `SessionTable.serve`.
    var isServed = false

    init(_ client: Client, _ output: ConnectionOutput, in table: SessionTable, of context: ServerContext) {
        self.client = client
        self.context = context
        self.output = output
        self.table = table
        waits = Waits(of: client, in: context)
    }

    /// What this client has subscribed to.
    var subscriptions: OpenSubscriptions { output.subscriptions }

    /// Ends what is subscribed, takes no more requests, and closes the connection once everything that waits is
    /// written.
    func finish(_ reason: EndReason = .limit) {
        guard !output.isFinishing else { return }
        subscriptions.closeAll(reason)
        output.finish()
    }

    /// The client is gone: its subscriptions die, and it withdraws from the executions that it wanted canceled with
    /// it.
    func end() {
        subscriptions.end()
        for (token, request) in requests {
            request.observation.dispose()
            request.execution.withdraw(token)
        }
        requests = [:]
        waits.end()
        client.account.longAnswers.lookAgain()
        table.remove(self)
        context.memory.freed(MemoryTrim.bytesOfConnection)
    }
}
