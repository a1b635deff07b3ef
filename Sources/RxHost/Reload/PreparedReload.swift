internal import RxPlatform
internal import Rx
internal import Synchronization

/// A set of definitions that is ready to come into force: its new reactors run, and nobody sees them yet.
///
/// `Host.prepare` makes it. Exactly one of `commit` and `abandon` is to be called.
public final class PreparedReload: Sendable {
    /// The difference from the definitions in force.
    public let change: RegistryChange
    private let host: Host
    private let difference: RegistryDifference
    private let addedActions: [AddedAction]
    private let addedReactors: [HostedReactor]
    private let queue: WorkQueue?
    /// What `commit` has replaced. It goes with this object: taking large definitions apart takes time.
    private let discarded = Locked(Discarded())
    private let foundFaults: Locked<[ReloadFault]> = Locked([])

    private struct AddedAction: Sendable {
        let action: HostedAction
        let definition: ActionDefinition
        /// Whether it was configured before.
        let isReturning: Bool
    }

    private struct Discarded {
        var registry: Registry?
        var definitions: [SharedDefinition] = []
    }

    /// Starts the reactors that are new. One that does not start has no engine, and reports the fault.
    ///
    /// - Parameter queue: where engines are stopped and started later; nil for the threads of `commit` and of the
    ///   last dispatches.
    init(_ host: Host, _ difference: RegistryDifference, on queue: WorkQueue?) {
        self.host = host
        self.queue = queue
        self.difference = difference
        change = difference.change
        let services = host.services
        addedActions = difference.addedActions.map { definition in
            // A name that is configured again has the action it had: executions still in flight hold its gate.
            let known = host.retired.withLock { $0[definition.name] }
            return AddedAction(
                action: known ?? HostedAction(definition, services, host.keys), definition: definition,
                isReturning: known != nil)
        }
        let former = host.formerReactorsByName.withLock { $0 }
        addedReactors = difference.addedReactors.map { HostedReactor($0, services, after: former[$0.name]?.ring) }
        // Before the first one starts: they may merge each other's states.
        host.starting.withLock { starting in
            for reactor in addedReactors { starting[reactor.name] = reactor }
        }
        for reactor in addedReactors {
            do throws(ReactorFault) {
                try ReactorStart(reactor, as: reactor.definition).start()
            } catch {
                reactor.fail(error)
                note(error, of: reactor)
            }
        }
    }

    /// What cannot come into force: complete when `commit` is done.
    public var faults: [ReloadFault] { foundFaults.withLock { $0 } }

    private func note(_ fault: ReactorFault, of reactor: HostedReactor) {
        foundFaults.withLock { $0.append(ReloadFault(reactor: reactor.name, fault: fault)) }
        host.services.onReactorFault?(reactor.name, fault)
    }

    /// An action of the definitions, by its name.
    public func action(_ name: String) -> HostedAction? {
        if let added = addedActions.first(where: { $0.action.name == name }) { return added.action }
        return change.removed.contains(name) ? nil : host.registry[name]
    }

    /// Brings the definitions into force, without waiting for anything. The engines of changed reactors are replaced,
    /// and those of removed reactors are stopped, after their last dispatches.
    ///
    /// - Parameter whenDone: called once, on any thread, when this has happened.
    /// - Returns: false if the host is stopping: then nothing has changed, and `abandon` is to be called.
    public func commit(whenDone: @escaping @Sendable () -> Void = {}) -> Bool {
        guard !host.log.isStopping else { return false }
        for (action, definition) in difference.changedActions {
            let before = action.currentDefinition
            discarded.withLock { $0.definitions.append(before) }
            action.definition = definition
        }
        for (reactor, lines) in zip(difference.unchangedReactors, difference.lines) { reactor.move(to: lines) }
        replaceRegistry()
        publish()
        replaceReactors(whenDone)
        return true
    }

    private func replaceRegistry() {
        host.retired.withLock { retired in
            for added in addedActions { retired[added.action.name] = nil }
            for action in difference.removedActions { retired[action.name] = action }
        }
        host.formerReactorsByName.withLock { former in
            for reactor in addedReactors { former[reactor.name] = nil }
        }
        for added in addedActions where added.isReturning {
            added.action.definition = added.definition
            host.log.restored(added.action)
        }
        let registry = Registry(
            difference.unchangedActions + difference.changedActions.map(\.action) + addedActions.map(\.action),
            difference.unchangedReactors + difference.changedReactors.map(\.reactor) + addedReactors)
        let before = host.current.withLock { current in
            defer { current = registry }
            return current
        }
        discarded.withLock { $0.registry = before }
        host.reloads.add(1, ordering: .releasing)
        host.starting.withLock { $0 = [:] }
    }

    private func publish() {
        let (log, time) = (host.log, host.services.time)
        for (action, _) in difference.changedActions { log.changed(action, at: time) }
        for added in addedActions {
            let action = added.action
            log.added(
                action, levels: { [.executing(action.levels.executing), .enabled(action.levels.enabled)] }, at: time)
        }
        for reactor in addedReactors { reactor.publishAdded(at: time) }
        for reactor in difference.removedReactors {
            log.removed(reactor, at: time)
            let former = FormerReactor.left(by: reactor)
            host.formerReactorsByName.withLock { $0[reactor.name] = former }
        }
        for action in difference.removedActions {
            // Brief executions ask the gate alone, so they have to be prevented here.
            action.definition = action.definition.withoutAnswer()
            log.removed(action, at: time)
        }
    }

    private func replaceReactors(_ whenDone: @escaping @Sendable () -> Void) {
        let done = Countdown(difference.changedReactors.count + difference.removedReactors.count + 1, whenDone)
        for (reactor, definition) in difference.changedReactors {
            ReactorReplacement(reactor, on: queue).change(to: definition) { [self] fault in
                if var fault {
                    if reactor.failure == nil {
                        fault.message = "the new definition was refused, the old one stays: \(fault.message)"
                    }
                    note(fault, of: reactor)
                }
                host.log.changed(reactor, at: host.services.time)
                done.count()
            }
        }
        for reactor in difference.removedReactors { reactor.remove(on: queue) { done.count() } }
        done.count()
    }

    /// Stops what has been started.
    ///
    /// - Parameter whenStopped: called once, on any thread.
    public func abandon(whenStopped: @escaping @Sendable () -> Void = {}) {
        host.starting.withLock { $0 = [:] }
        let stopped = Countdown(addedReactors.count + 1, whenStopped)
        for reactor in addedReactors { reactor.stop { stopped.count() } }
        stopped.count()
    }
}
