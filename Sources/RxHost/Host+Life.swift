internal import RxRecords
internal import RxStore
internal import RxPlatform
internal import Rx
internal import RxAction

// The end of a host.

extension Host {
    /// Takes no more input and cancels all executions. Durable inputs that are queued stay in the store.
    ///
    /// - Parameter whenIdle: called once, on any thread, when nothing is in flight and all reactors have stopped.
    public func stop(whenIdle: @escaping @Sendable () -> Void) {
        let reactors = registry.reactors
        // Executions that reactors request from now on are refused, and those they have requested are canceled below.
        let stopped = Countdown(reactors.count + 1, whenIdle)
        for reactor in reactors { reactor.stop { stopped.count() } }
        stopActions { stopped.count() }
        // Last: a reactor that has not been stopped yet would get its next engine.
        services.drains.stop()
    }

    private func stopActions(whenIdle: @escaping @Sendable () -> Void) {
        let actions = registry.actions + retiredActions
        log.stop(actions, at: services.time, whenIdle: whenIdle)
        // Before the cancellation, so that the end of one execution does not start the next.
        for action in actions { action.switches.close() }
        var starting: [HostedExecution] = []
        for execution in log.inFlight.sorted(by: { $0.id < $1.id }) {
            if execution.isStarting { starting.append(execution) } else { execution.cancel(HostStopping()) }
        }
        guard let store = services.store, !starting.isEmpty else { return }
        // While its start is being written, nobody knows whether it has begun, or is left to a later host.
        store.settleBeforeStop { [starting, queue = services.platform.queues.shared] in
            queue.async { for execution in starting { execution.cancel(HostStopping()) } }
        }
    }
}
