internal import RxRecords
public import RxStore
internal import RxAction
internal import Rx
internal import RxJSON

extension Host {
    /// Takes over what an earlier host left in the store: durable inputs start in the order of their acceptance, and
    /// keys refer to the same executions.
    ///
    /// - Returns: what it left. Inputs whose action is no longer configured, or no longer durable, are among the
    ///   interrupted.
    @discardableResult
    public func resume() -> Recovery {
        let taken = recovery.withLock { recovery in
            defer { recovery = nil }
            return recovery
        }
        guard var recovery = taken else { return Recovery() }
        for keyed in recovery.keyed {
            guard let action = registry[keyed.action], let record = keyed.record else { continue }
            let execution = HostedExecution(ended: record, action: action, key: keyed.key)
            _ = keys.claim(keyed.key, for: execution, at: keyed.givenAt)
        }
        var order: [String] = []
        var byAction: [String: [StoredInput]] = [:]
        for input in recovery.queued {
            if byAction[input.action] == nil { order.append(input.action) }
            byAction[input.action, default: []].append(input)
        }
        for name in order {
            guard let action = registry[name], action.definition.isDurable else {
                for input in byAction[name] ?? [] { interrupt(input, &recovery) }
                recovery.queued.removeAll { $0.action == name }
                continue
            }
            for input in byAction[name] ?? [] { resume(input, action) }
        }
        return recovery
    }

    private func resume(_ input: StoredInput, _ action: HostedAction) {
        let execution = HostedExecution(
            id: input.id, action: action, definition: action.currentDefinition,
            request: ExecutionRequest(input: input.input, causes: input.causes, timeout: input.timeout), key: input.key,
            durability: .accepted(), isResumed: true, time: input.queuedAt)
        if let key = input.key { _ = keys.claim(key, for: execution, at: input.queuedAt) }
        log.resume(execution)
        action.resume(execution)
    }

    private func interrupt(_ input: StoredInput, _ recovery: inout Recovery) {
        let record = input.interrupted(at: services.time)
        store?.ended(record)
        recovery.interruptedCount += 1
        if recovery.interrupted.count < Recovery.interruptedListed { recovery.interrupted.append(record) }
    }
}

extension StoredInput {
    /// The record of an input whose action is no longer configured, or no longer durable.
    fileprivate func interrupted(at time: Int64) -> ExecutionRecord {
        var record = ExecutionRecord(
            id: id, action: action, causes: causes, input: shown, state: .interrupted, queuedAt: queuedAt, elements: 0)
        record.endedAt = time
        record.error = .interrupted
        return record
    }
}
