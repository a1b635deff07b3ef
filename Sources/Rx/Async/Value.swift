extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Subscribes now and returns the element.
    ///
    /// - Throws: the error of the single, or `CancellationError` if the task is canceled, which disposes the
    ///   subscription.
    public var value: Element {
        get async throws {
            guard let element = try await primitiveSequence.source.firstOrEnd() else { throw RxError.noElements }
            return element
        }
    }

    /// A single with the result of asynchronous work, which each subscription starts in its own task. Grammar:
    /// `next completed | error`.
    ///
    /// Disposing the subscription cancels the task.
    ///
    /// - Parameters:
    ///   - detached: whether the task inherits no priority and no task-local values from the subscribing context.
    ///   - priority: the priority of the task.
    ///   - work: computes the element; called once for each subscription.
    public static func create(
        detached: Bool = false, priority: TaskPriority? = nil,
        work: @escaping @Sendable () async throws -> Element
    ) -> Single<Element> {
        .create { single in
            let operation: @Sendable () async -> Void = {
                do {
                    single(.success(try await work()))
                } catch {
                    single(.failure(error))
                }
            }
            let task =
                detached
                ? Task.detached(priority: priority, operation: operation)
                : Task(priority: priority, operation: operation)
            return Disposables.create(with: task.cancel)
        }
    }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    /// Subscribes now and returns the element, or nil if there is none.
    ///
    /// - Throws: the error of the maybe, or `CancellationError` if the task is canceled, which disposes the
    ///   subscription.
    public var value: Element? {
        get async throws { try await primitiveSequence.source.firstOrEnd() }
    }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// Subscribes now and returns at completion.
    ///
    /// - Throws: the error of the completable, or `CancellationError` if the task is canceled, which disposes the
    ///   subscription.
    public var value: Void {
        get async throws { _ = try await primitiveSequence.source.firstOrEnd() }
    }
}

extension Observable {
    /// Returns the first element, or nil if the sequence completes without one.
    fileprivate func firstOrEnd() async throws -> Element? {
        let awaiting = Awaiting<Element>()
        let terminal = AwaitingTerminal(awaiting)
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                if awaiting.begin(continuation) { subscribe(into: terminal) }
            }
        } onCancel: {
            terminal.dispose()
        }
    }
}

/// Resumes the awaiting task once, with the first of the element, the completion, the error, or the disposal.
private final class Awaiting<Element: Sendable>: @unchecked Sendable {
    // Unchecked: `lock` guards `state`.
    private enum State {
        case idle
        case awaited(CheckedContinuation<Element?, any Error>)
        case over
    }

    private let lock = Lock()
    private var state = State.idle

    /// Stores `continuation`. If the task is already canceled, resumes it and returns false.
    func begin(_ continuation: CheckedContinuation<Element?, any Error>) -> Bool {
        let begins = lock.withLock {
            switch state {
            case .idle:
                state = .awaited(continuation)
                return true
            case .awaited, .over:
                return false
            }
        }
        if !begins { continuation.resume(throwing: CancellationError()) }
        return begins
    }

    func resume(_ result: Result<Element?, any Error>) {
        let continuation = lock.withLock { () -> CheckedContinuation<Element?, any Error>? in
            defer { state = .over }
            switch state {
            case .awaited(let continuation): return continuation
            case .idle, .over: return nil
            }
        }
        continuation?.resume(with: result)
    }
}

private final class AwaitingTerminal<Element: Sendable>: Terminal<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let awaiting: Awaiting<Element>

    init(_ awaiting: Awaiting<Element>) {
        self.awaiting = awaiting
        super.init(SubscriptionDisposable(onDisposed: { awaiting.resume(.failure(CancellationError())) }))
    }

    override func next(_ element: Element) {
        guard isOpen else { return }
        awaiting.resume(.success(element))
    }

    override func failed(_ error: any Error) { awaiting.resume(.failure(error)) }
    override func finished() { awaiting.resume(.success(nil)) }
}
