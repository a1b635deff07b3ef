internal import RxHost
internal import RxLoop
internal import RxRecords

extension Account {
    /// Whether the user is charged with an input of so many bytes: records have shorter ones in any case.
    static func chargesInput(of bytes: Int) -> Bool { bytes > ExecutionRecord.inputBytesKept }

    /// Charges the user with the input of an execution, if it is long, until the execution has ended, whatever becomes
    /// of the connection.
    func charge(_ execution: HostedExecution, inputBytes bytes: Int, _ context: ServerContext) {
        guard Self.chargesInput(of: bytes) else { return }
        keep(bytes)
        let charged = LoopConfined((account: self, memory: context.memory))
        execution.observe { [loop = context.loop, share] event in
            guard case .ended = event else { return }
            loop.execute(in: share) {
                charged.value.account.keep(-bytes)
                charged.value.memory.freed(bytes)
            }
        }
    }
}

extension ServerContext {
    /// Charges the users with the long inputs that an earlier daemon has accepted for them. Before the first client.
    func chargeResumed() {
        for execution in host.log.inFlight {
            guard let uid = execution.causes.origin.uid else { continue }
            accounts[uid].charge(execution, inputBytes: execution.inputBytes, self)
        }
    }
}
