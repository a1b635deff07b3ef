internal import RxPlatform
internal import RxRecords
internal import RxStore
internal import RxAction
internal import Rx
internal import RxJSON

/// What an earlier host left in the store, until this one resumes it.
final class HostRecovery: Sendable {
    private let recovery: Locked<Recovery?>
    private let services: HostServices
    private let keys: ExecutionKeys

    /// - Parameter recovery: what the store has; nil for a host without one.
    init(of recovery: Recovery?, _ services: HostServices, _ keys: ExecutionKeys) {
        self.recovery = Locked(recovery)
        self.services = services
        self.keys = keys
    }

    /// The values that are stored of streams, by the names of their owners; none once all is resumed.
    var streams: [String: [String: RawJSON]] { recovery.withLock { $0?.streams ?? [:] } }

    /// Starts the durable inputs of the actions of a registry, and has keys refer to the same executions.
    ///
    /// - Parameter retired: actions that are not configured.
    /// - Returns: what was left: nothing the second time. Inputs that cannot start are among the interrupted.
    func resume(in registry: Registry, _ retired: [String: HostedAction]) -> Recovery {
        let taken = recovery.withLock { recovery in
            defer { recovery = nil }
            return recovery
        }
        guard var recovery = taken else { return Recovery() }
        var executions: [ExecutionID: HostedExecution] = [:]
        var resumed: [(HostedExecution, StoredInput)] = []
        var gone: [StoredInput] = []
        for input in recovery.queued {
            // What a stream has claimed is started exactly once, whatever the action is by default.
            guard let action = registry[input.action],
                action.definition.isDurable || input.by.isStream || input.dueAt != nil
            else {
                gone.append(input)
                continue
            }
            var request = ExecutionRequest(input: input.input, causes: input.causes, timeout: input.timeout)
            request.dueAt = input.dueAt
            let waits = input.dueAt != nil || input.after != nil
            let definition = action.currentDefinition
            let redaction = InputRedaction(definition.value.schema, input.input)
            let execution = HostedExecution(
                id: input.id, action: action, definition: definition, request: request, key: input.key,
                group: input.group, durability: .accepted(), redaction: redaction, isResumed: true, waits: waits,
                charge: input.causes.origin.uid.map {
                    services.memory[$0].charge(HostedExecution.bytesKept(ofInput: input.input, redaction))
                }, time: input.queuedAt)
            executions[input.id] = execution
            resumed.append((execution, input))
        }
        let lost = Set(gone.map(\.id))
        recovery.queued.removeAll { lost.contains($0.id) }
        let ended = gone.map { input in
            (input.id, interrupt(input, of: registry[input.action] ?? retired[input.action], &recovery))
        }
        let ends = Dictionary(ended) { $1 }
        restoreKeys(recovery.keyed, queued: executions, ends)
        // Before anything starts, so that those that wait for others see each of them end.
        for (execution, input) in resumed where execution.isAhead {
            let awaited = input.after.map { after in
                after.executions.map { AwaitedExecution(id: $0, execution: executions[$0], end: input.ends[$0]) }
            }
            services.scheduled.resume(
                execution, input.dueAt, awaited ?? [], ifCompleted: input.after?.ifCompleted ?? false)
        }
        for (execution, _) in resumed {
            if execution.isAhead {
                services.scheduled.goOn(with: execution)
            } else {
                services.log.resume(execution)
                execution.action.resume(execution)
            }
        }
        return recovery
    }

    /// Takes over the keys, also those of actions that are not configured at present, before anything can end.
    ///
    /// - Parameters:
    ///   - queued: the executions that start again.
    ///   - ends: the records of those that cannot.
    private func restoreKeys(
        _ keyed: [KeyedExecution], queued: [ExecutionID: HostedExecution], _ ends: [ExecutionID: ExecutionRecord]
    ) {
        let time = services.platform.monotonicClock.now
        for var key in keyed {
            if let end = ends[key.id] { key.record = end }
            keys.restore(key, queued: queued[key.id], at: time)
        }
    }

    /// - Returns: the record of the input, which cannot start.
    private func interrupt(
        _ input: StoredInput, of action: HostedAction?, _ recovery: inout Recovery
    ) -> ExecutionRecord {
        let record = input.interrupted(at: services.time)
        if action?.feed.isLogged ?? true {
            // Readers of errors learn of it, as they do of what a crash has interrupted.
            services.log.update {
                $0.publishInterrupted(record, of: action, isKeyed: input.key != nil, at: services.time)
            }
        } else {
            services.store?.ended(record, isKeyed: input.key != nil)
        }
        recovery.interruptedCount += 1
        if recovery.interrupted.count < Recovery.interruptedListed { recovery.interrupted.append(record) }
        return record
    }
}

extension StoredInput {
    /// The record of an input whose action is no longer configured, or no longer durable.
    fileprivate func interrupted(at time: Int64) -> ExecutionRecord {
        var record = ExecutionRecord(
            id: id, action: action, causes: causes, input: shown, state: .interrupted, queuedAt: queuedAt,
            dueAt: dueAt, elements: 0)
        record.endedAt = time
        record.error = .interrupted
        return record
    }
}
