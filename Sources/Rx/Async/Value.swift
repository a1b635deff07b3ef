extension PrimitiveSequenceType where Trait == SingleTrait {
    /// Subscribes now and returns the element.
    ///
    /// - Throws: the error of the single, or `CancellationError` if the task is canceled, which disposes the
    ///   subscription. In a task that is already canceled, an event that arrives during the subscribing still counts.
    public nonisolated(nonsending) var value: Element {
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
    /// ```
    /// work                     -----(1|)
    /// create { await work() }  -----(1|)
    /// ```
    ///
    /// - Parameters:
    ///   - detached: whether the task inherits no priority and no task-local values from the subscribing context.
    ///   - priority: the priority of the task.
    ///   - work: computes the element; called once for each subscription.
    #if Migration
        @preconcurrency
    #endif
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

    /// A single with the result of asynchronous work, which each subscription starts in its own task. Grammar:
    /// `next completed | error`.
    ///
    /// Disposing the subscription cancels the task. It is `create(detached:priority:work:)` with the defaults, by a
    /// name that describes the closure.
    ///
    /// ```
    /// let page = Single.create(async: { try await load(url) })
    /// ```
    ///
    /// - Parameter work: computes the element; called once for each subscription.
    // Disfavored: an unlabeled trailing closure means the other one.
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    public static func create(async work: @escaping @Sendable () async throws -> Element) -> Single<Element> {
        create(detached: false, priority: nil, work: work)
    }
}

extension PrimitiveSequenceType where Trait == MaybeTrait {
    /// Subscribes now and returns the element, or nil if there is none.
    ///
    /// - Throws: the error of the maybe, or `CancellationError` if the task is canceled, which disposes the
    ///   subscription. In a task that is already canceled, an event that arrives during the subscribing still counts.
    public nonisolated(nonsending) var value: Element? {
        get async throws { try await primitiveSequence.source.firstOrEnd() }
    }
}

extension PrimitiveSequenceType where Trait == CompletableTrait, Element == Never {
    /// Subscribes now and returns at completion.
    ///
    /// - Throws: the error of the completable, or `CancellationError` if the task is canceled, which disposes the
    ///   subscription. In a task that is already canceled, an event that arrives during the subscribing still counts.
    public nonisolated(nonsending) var value: Void {
        get async throws { _ = try await primitiveSequence.source.firstOrEnd() }
    }
}

extension Observable {
    /// Returns the first element, or nil if the sequence completes without one.
    fileprivate func firstOrEnd() async throws -> Element? {
        let subscription = SingleAssignmentDisposable()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let terminal = AwaitingTerminal<Element>(Awaiting(continuation))
                // Set last in a canceled task, so that the source can emit before the disposal.
                let isCanceled = subscription.isDisposed
                if !isCanceled { subscription.setDisposable(terminal.subscription) }
                subscribe(into: terminal)
                if isCanceled { subscription.setDisposable(terminal.subscription) }
            }
        } onCancel: {
            subscription.dispose()
        }
    }
}

/// Resumes the awaiting task once, with the first of the element, the completion, the error, or the disposal.
private final class Awaiting<Element: RxSendable>: Sendable {
    private let continuation: Locked<CheckedContinuation<Element?, any Error>?>

    init(_ continuation: CheckedContinuation<Element?, any Error>) {
        self.continuation = Locked(continuation)
    }

    func resume(_ result: Result<Element?, any Error>) {
        let continuation = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        continuation?.resume(with: result)
    }
}

private final class AwaitingTerminal<Element: RxSendable>: Terminal<Element>, @unchecked Sendable {
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
