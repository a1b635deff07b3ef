public import RxHost
public import RxPlatform
internal import Rx

/// One reload, from the request to its result.
///
/// The code that carries it out calls `finish` exactly once, and `beginChanges` before it changes anything.
public final class ReloadAttempt: Sendable {
    typealias Completion = @Sendable (Result<RegistryChange, ReloadFailure>) -> Void

    private enum Phase {
        /// Other reloads come first.
        case waiting(Completion)
        /// It reads and checks. A daemon that stops does not wait for that.
        case reading(Completion)
        case changing(Completion)
        /// The daemon has stopped meanwhile.
        case abandoned
        case finished
    }

    /// Whether the configuration is only checked.
    public let dryRun: Bool
    /// The queue of all reloads, for work that may wait.
    public let queue: WorkQueue
    private let phase: Locked<Phase>
    private let onFinish: Locked<(@Sendable () -> Void)?>

    init(dryRun: Bool, on queue: WorkQueue, _ completion: @escaping Completion) {
        self.dryRun = dryRun
        self.queue = queue
        phase = Locked(.waiting(completion))
        onFinish = Locked(nil)
    }

    /// Begins to change what the daemon has, rather than only to read. From here on, a daemon that stops waits for
    /// `finish`.
    ///
    /// - Returns: false if the daemon is stopping: finish with `.stopping`, and change nothing.
    public func beginChanges() -> Bool {
        phase.withLock { phase in
            guard case .reading(let completion) = phase else { return false }
            phase = .changing(completion)
            return true
        }
    }

    /// Ends the reload with its result. Any thread.
    public func finish(_ result: Result<RegistryChange, ReloadFailure>) {
        let completion = phase.withLock { phase -> Completion? in
            switch phase {
            case .waiting(let completion), .reading(let completion), .changing(let completion):
                phase = .finished
                return completion
            case .abandoned, .finished: return nil
            }
        }
        completion?(result)
        onFinish.withLock { body in
            defer { body = nil }
            return body
        }?()
    }

    // MARK: For the queue

    /// Whether it has not begun.
    var isWaiting: Bool {
        if case .waiting = phase.withLock({ $0 }) { true } else { false }
    }

    /// Begins.
    ///
    /// - Parameter whenFinished: called once, at the end.
    func begin(whenFinished: @escaping @Sendable () -> Void) {
        onFinish.withLock { $0 = whenFinished }
        phase.withLock { phase in
            if case .waiting(let completion) = phase { phase = .reading(completion) }
        }
    }

    /// Ends it because the daemon is stopping, unless it changes something already.
    ///
    /// - Returns: whether it has ended.
    func abandon() -> Bool {
        let (hasEnded, completion) = phase.withLock { phase -> (Bool, Completion?) in
            switch phase {
            case .waiting(let completion), .reading(let completion):
                phase = .abandoned
                return (true, completion)
            case .changing: return (false, nil)
            case .abandoned, .finished: return (true, nil)
            }
        }
        completion?(.failure(.stopping))
        return hasEnded
    }
}
