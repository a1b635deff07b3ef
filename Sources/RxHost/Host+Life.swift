internal import RxRecords
internal import Rx
internal import Synchronization
internal import RxAction

// The life of a host as a whole: new definitions, and its end.

extension Host {
    /// Takes a new set of definitions.
    ///
    /// A name that stays keeps its gate, its executions, and its subscribers; a changed definition holds from the next
    /// execution on. A name that is removed takes no more input; its executions in flight or queued go on to their end.
    ///
    /// - Parameters:
    ///   - definitions: the actions, all of them.
    ///   - reactors: the reactors, all of them.
    ///   - dryRun: whether nothing is changed.
    /// - Returns: what has changed, or would change.
    @discardableResult
    public func reload(
        _ definitions: [ActionDefinition], reactors: [ReactorDefinition] = [], dryRun: Bool = false
    ) -> RegistryChange {
        let old = registry
        var change = RegistryChange()
        var actions: [HostedAction] = []
        var added: [HostedAction] = []
        var changed: [HostedAction] = []
        for definition in definitions.sorted(by: { $0.name < $1.name }) {
            guard let action = old[definition.name] else {
                change.added.append(definition.name)
                if !dryRun { added.append(add(definition)) }
                continue
            }
            actions.append(action)
            if action.definition.fingerprint == definition.fingerprint, action.access == definition.access {
                change.unchanged.append(definition.name)
            } else {
                change.changed.append(definition.name)
                if !dryRun { action.definition = definition }
                if !dryRun { changed.append(action) }
            }
        }
        let names = Set(definitions.map(\.name))
        let removed = old.actions.filter { !names.contains($0.name) }
        change.removed = removed.map(\.name)
        let reactorReload = reload(reactors, &change)
        guard !dryRun else { return change }
        current.withLock { $0 = Registry(actions + added, reactorReload.reactors) }
        reloads.add(1, ordering: .releasing)
        retired.withLock { retired in
            for action in removed { retired[action.name] = action }
        }
        let time = services.time
        for action in changed { log.changed(action, at: time) }
        for action in added {
            log.added(
                action, levels: { [.executing(action.levels.executing), .enabled(action.levels.enabled)] }, at: time)
        }
        finish(reactorReload)
        for action in removed {
            // Brief executions ask the gate alone, so they have to be prevented here.
            action.definition.answer = nil
            log.removed(action, at: time)
        }
        return change
    }

    /// A name that is configured again has the action it had: executions still in flight hold its gate.
    private func add(_ definition: ActionDefinition) -> HostedAction {
        guard let action = retired.withLock({ $0.removeValue(forKey: definition.name) }) else {
            return HostedAction(definition, services, keys)
        }
        action.definition = definition
        log.restored(action)
        return action
    }

    /// Takes no more input and cancels all executions. Durable inputs that are queued stay in the store.
    ///
    /// - Parameter whenIdle: called once, on any thread, when nothing is in flight and all reactors have stopped.
    public func stop(whenIdle: @escaping @Sendable () -> Void) {
        let reactors = registry.reactors
        // Executions that reactors request from now on are refused, and those they have requested are canceled below.
        let unstopped = Locked(reactors.count + 1)
        let stopped: @Sendable () -> Void = {
            guard
                unstopped.withLock({ left in
                    left -= 1; return left == 0
                })
            else { return }
            whenIdle()
        }
        for reactor in reactors { reactor.stop(completion: stopped) }
        stopActions(whenIdle: stopped)
    }

    private func stopActions(whenIdle: @escaping @Sendable () -> Void) {
        let actions = registry.actions + retired.withLock { $0.values.sorted { $0.name < $1.name } }
        log.stop(actions, at: services.time, whenIdle: whenIdle)
        // Before the cancellation, so that the end of one execution does not start the next.
        for action in actions { action.switches.close() }
        for execution in log.inFlight.sorted(by: { $0.id < $1.id }) { execution.cancel(HostStopping()) }
    }
}
