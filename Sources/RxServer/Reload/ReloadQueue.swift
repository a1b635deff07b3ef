internal import RxHost
public import RxPlatform
internal import Rx

/// Carries out reloads one after another, on a queue of its own: a configuration is read, compiled, and started while
/// the loop serves clients.
public final class ReloadQueue: Sendable {
    /// Carries out one reload and calls `ReloadAttempt.finish`, perhaps after it has returned. It may wait.
    public typealias Reload = @Sendable (ReloadAttempt) -> Void

    /// The most reloads that may wait. Each costs little memory, but all of them are read and compiled.
    public static let mostWaiting = 64

    private struct State {
        var current: ReloadAttempt?
        /// In their order.
        var waiting: [ReloadAttempt] = []
        var isStopping = false
        var whenIdle: (@Sendable () -> Void)?
    }

    private let queue: WorkQueue
    private let reload: Reload
    private let state = Locked(State())

    /// - Parameters:
    ///   - queue: a serial queue of its own.
    ///   - reload: carries out one reload; called on `queue`.
    public init(on queue: WorkQueue, _ reload: @escaping Reload) {
        self.queue = queue
        self.reload = reload
    }

    /// Reloads after the reloads that were added before. Any thread.
    ///
    /// - Parameters:
    ///   - dryRun: whether the configuration is only checked.
    ///   - isRefusable: whether it is refused if `mostWaiting` wait.
    ///   - completion: called once, on any thread, perhaps before this returns.
    @discardableResult
    func add(
        dryRun: Bool, isRefusable: Bool = true,
        completion: @escaping @Sendable (Result<RegistryChange, ReloadFailure>) -> Void
    ) -> ReloadAttempt {
        let attempt = ReloadAttempt(dryRun: dryRun, on: queue, completion)
        let refusal = state.withLock { state -> ReloadFailure? in
            if state.isStopping { return .stopping }
            if isRefusable, state.waiting.count >= Self.mostWaiting { return .full(limit: Self.mostWaiting) }
            state.waiting.append(attempt)
            return nil
        }
        if let refusal { attempt.finish(.failure(refusal)) } else { beginNext() }
        return attempt
    }

    private func beginNext() {
        let next = state.withLock { state -> ReloadAttempt? in
            guard state.current == nil, !state.isStopping, !state.waiting.isEmpty else { return nil }
            let next = state.waiting.removeFirst()
            state.current = next
            return next
        }
        guard let next else { return }
        next.begin { [self] in
            let whenIdle = state.withLock { state in
                state.current = nil
                defer { state.whenIdle = nil }
                return state.whenIdle
            }
            whenIdle?()
            beginNext()
        }
        queue.async { [reload] in reload(next) }
    }

    /// Ends the reloads that wait, and the one under way unless it changes something already; refuses others.
    ///
    /// - Parameter whenIdle: called once, on any thread, when nothing is being changed any more.
    func stop(whenIdle: @escaping @Sendable () -> Void) {
        let (current, waiting) = state.withLock { state in
            state.isStopping = true
            defer { state.waiting = [] }
            return (state.current, state.waiting)
        }
        for attempt in waiting { _ = attempt.abandon() }
        let isIdle = current?.abandon() ?? true
        let isIdleMeanwhile = state.withLock { state -> Bool in
            if isIdle || state.current == nil { return true }
            state.whenIdle = whenIdle
            return false
        }
        if isIdleMeanwhile { whenIdle() }
    }
}
