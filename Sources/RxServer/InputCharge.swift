internal import RxHost
internal import RxLoop
internal import RxRecords

extension Account {
    /// The memory of an execution that waits, approximately, beside its input.
    private static let bytesOfWaiting = 1024

    /// What the user is charged with for an input of so many bytes. Records have short ones in any case, and the work
    /// that is in progress is bounded by its action; there is room for a million of those that wait.
    static func charge(ofInput bytes: Int, waits: Bool) -> Int {
        if waits { return bytes + bytesOfWaiting }
        return bytes > ExecutionRecord.inputBytesKept ? bytes : 0
    }

    /// Charges the user with the input of an execution, if it is long or waits, until the execution has ended, whatever
    /// becomes of the connection.
    func charge(_ execution: HostedExecution, inputBytes: Int, waits: Bool, _ context: ServerContext) {
        let bytes = Self.charge(ofInput: inputBytes, waits: waits)
        guard bytes > 0 else { return }
        keep(bytes)
        let charged = LoopConfined((account: self, memory: context.memory))
        execution.observeEnd { [loop = context.loop, share] _ in
            loop.execute(in: share) {
                charged.value.account.keep(-bytes)
                charged.value.memory.freed(bytes)
            }
        }
    }
}

extension ServerContext {
    /// Charges the users with the inputs that an earlier daemon has accepted for them. Before the first client.
    func chargeResumed() {
        for execution in host.log.inFlight {
            guard let uid = execution.causes.origin.uid else { continue }
            // All of them waited; some may have begun just now.
            accounts[uid].charge(execution, inputBytes: execution.inputBytes, waits: true, self)
        }
    }
}
