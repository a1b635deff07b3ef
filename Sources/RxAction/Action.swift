public import Rx

/// Work that can be enabled, executed, observed, and canceled.
///
/// Admission is atomic: checking whether an input may start and starting it are one step, so of two threads that call
/// at the same time one is refused. Each execution has its own results. `ActionTransition` describes the order of
/// events.
public final class Action<Input: RxSendable, Element: RxSendable>: Sendable {
    /// Creates the work for an input.
    public typealias WorkFactory = RxSendableClosure<Input, Observable<Element>>

    /// The condition that the action was created with. The action follows it whether or not anyone subscribes here.
    public let _enabledIf: Observable<Bool>

    private let gate: ActionGate
    private let condition: any Disposable
    private let factory: @Sendable (Input, WorkContext) -> Observable<Element>

    /// Creates an action and subscribes to `enabledIf`.
    ///
    /// - Parameters:
    ///   - enabledIf: whether inputs are accepted. Subscribed at once. Counts as false until the first value and after
    ///     an error.
    ///   - overlap: how the action treats an input that arrives while work is in flight.
    ///   - work: creates the work for an input. Called once per execution, never for a refused input.
    ///   - onTransition: receives every transition, in order and one at a time, on the thread that delivers.
    #if Migration
        @preconcurrency
    #endif
    public convenience init(
        enabledIf: Observable<Bool> = .just(true),
        overlap: Overlap = .reject,
        work: @escaping @Sendable (Input, WorkContext) -> Observable<Element>,
        onTransition: (@Sendable (ActionTransition<Element>) -> Void)? = nil
    ) {
        self.init(
            enabledIf: enabledIf, overlap: overlap, work: work,
            listener: onTransition.map { Transitions<Element>($0, onElement: nil) })
    }

    /// Creates an action whose elements go to `onElement` instead of `onTransition`, without a lookup of the generic
    /// type of transitions.
    package convenience init(
        enabledIf: Observable<Bool>,
        overlap: Overlap,
        work: @escaping @Sendable (Input, WorkContext) -> Observable<Element>,
        onTransition: @escaping @Sendable (ActionTransition<Element>) -> Void,
        onElement: @escaping @Sendable (Execution<Element>, Element) -> Void
    ) {
        self.init(
            enabledIf: enabledIf, overlap: overlap, work: work,
            listener: Transitions<Element>(onTransition, onElement: onElement))
    }

    private init(
        enabledIf: Observable<Bool>,
        overlap: Overlap,
        work: @escaping @Sendable (Input, WorkContext) -> Observable<Element>,
        listener: Transitions<Element>?
    ) {
        let gate = ActionGate(overlap, listener)
        self.gate = gate
        _enabledIf = enabledIf
        factory = work
        condition = enabledIf.subscribe(
            onNext: { gate.conditionChanged(to: $0) },
            onError: { gate.conditionFailed($0) }
        )
        gate.conditionSampled()
    }

    /// Creates an action whose work does not use the execution's `WorkContext`.
    ///
    /// - Parameters:
    ///   - enabledIf: whether inputs are accepted. Subscribed at once. Counts as false until the first value and after
    ///     an error.
    ///   - overlap: how the action treats an input that arrives while work is in flight.
    ///   - workFactory: creates the work for an input. Called once per execution, never for a refused input.
    ///   - onTransition: receives every transition, in order and one at a time, on the thread that delivers.
    #if Migration
        @preconcurrency
    #endif
    public convenience init(
        enabledIf: Observable<Bool> = .just(true),
        overlap: Overlap = .reject,
        workFactory: @escaping @Sendable (Input) -> Observable<Element>,
        onTransition: (@Sendable (ActionTransition<Element>) -> Void)? = nil
    ) {
        self.init(
            enabledIf: enabledIf, overlap: overlap, work: { input, _ in workFactory(input) }, onTransition: onTransition
        )
    }

    /// Creates an action whose factory returns a `Single`, a `Maybe`, or another convertible type instead of an
    /// `Observable`.
    #if Migration
        @preconcurrency
    #endif
    @_disfavoredOverload
    public convenience init<Source: ObservableConvertibleType>(
        enabledIf: Observable<Bool> = .just(true),
        overlap: Overlap = .reject,
        workFactory: @escaping @Sendable (Input) -> Source,
        onTransition: (@Sendable (ActionTransition<Element>) -> Void)? = nil
    ) where Source.Element == Element {
        self.init(
            enabledIf: enabledIf, overlap: overlap, work: { input, _ in workFactory(input).asObservable() },
            onTransition: onTransition)
    }

    deinit {
        condition.dispose()
        gate.release()
    }

    // MARK: - Executing

    /// Executes `input` according to `overlap` and returns its results.
    ///
    /// Grammar of the result: `next* (completed | error)?`. It replays all elements to late subscribers. The errors are
    /// `ActionError.notEnabled` for a refusal, and `ActionError.underlyingError` for a failure, a cancellation, or
    /// `Refusal.queueFull`.
    ///
    /// The execution starts whether or not anyone subscribes. Disposing a subscription cancels nothing.
    @discardableResult
    public func execute(_ input: Input) -> Observable<Element> {
        switch begin(input, ExecutionID(), replays: true) {
        case .success(let execution): execution.elements
        case .failure(let refusal): Observable.error(ActionError(refusal))
        }
    }

    /// Starts an execution like `execute(_:)`, but keeps no elements for late subscribers unless `overlap` is `join`.
    ///
    /// - Returns: the execution, which may still be `queued`, or the reason for the refusal. Under `Overlap.join` it
    ///   may be an execution with another `id`.
    @discardableResult
    public func start(_ input: Input, id: ExecutionID = ExecutionID()) -> Result<Execution<Element>, Refusal> {
        begin(input, id, replays: overlap == .join)
    }

    /// Starts an execution that keeps no elements even under `Overlap.join`. The caller keeps what others may join.
    @discardableResult
    package func startKeepingNothing(
        _ input: Input, id: ExecutionID, in group: String? = nil
    ) -> Result<Execution<Element>, Refusal> {
        begin(input, id, replays: false, in: group)
    }

    /// Restores an input that a previous instance of the action accepted. It waits until it may start, even beyond a
    /// queue's limit or while the condition is false.
    package func resume(_ input: Input, id: ExecutionID, in group: String? = nil) {
        let execution = Execution<Element>(id: id, gate: gate, results: nil)
        execution.means.work = Work(execution, input, factory)
        gate.resume(execution, in: group)
    }

    private func begin(
        _ input: Input, _ id: ExecutionID, replays: Bool, in group: String? = nil
    ) -> Result<Execution<Element>, Refusal> {
        let execution = Execution<Element>(id: id, gate: gate, results: replays ? Results<Element>(replays: true) : nil)
        execution.means.work = Work(execution, input, factory)
        switch gate.start(execution, in: group) {
        case .accepted:
            return .success(execution)
        case .joined(let joined):
            execution.means.work = nil
            // All executions of a gate have the element type of its action.
            return .success(unsafeDowncast(joined, to: Execution<Element>.self))
        case .refused(let refusal):
            // Work and execution retain each other until the end, which a refused execution never reaches.
            execution.means.work = nil
            return .failure(refusal)
        }
    }

    /// Begins an unobserved execution. The caller does the work itself, at once and on this thread, and then calls
    /// `endBrief`. The execution counts for the overlap like any other.
    ///
    /// - Parameter note: called with the gate's lock held if the execution has begun.
    /// - Returns: whether the execution has begun. If false, nothing has happened and the caller must use `start`.
    package func beginBrief(_ id: ExecutionID, _ note: () -> Void) -> Bool { gate.beginBrief(id, note) }

    /// Calls `body` with the gate's lock held if `id` is the current brief execution; otherwise returns nil.
    package func ifBrief<Result>(_ id: ExecutionID, _ body: () -> Result) -> Result? {
        gate.lock.withLock { gate.isBrief(id) ? body() : nil }
    }

    package func endBrief() { gate.endBrief() }

    /// Returns what `start` would do now, without doing it.
    public func check() -> Result<Outlook, Refusal> { check(in: nil) }

    /// Returns what `startKeepingNothing` would do now with an input of this group.
    package func check(in group: String?) -> Result<Outlook, Refusal> {
        switch gate.outlook(in: group) {
        case nil: .success(.starts)
        case .accepted: .success(.waits)
        case .joined(let joined): .success(.joins(joined.id))
        case .refused(let refusal): .failure(refusal)
        }
    }

    /// An observer that executes each element it receives and ignores errors and completion. It does not retain the
    /// action.
    public var inputs: AnyObserver<Input> {
        AnyObserver { [weak self] event in
            if case .next(let input) = event { self?.start(input) }
        }
    }

    /// Creates work for an input without executing it: the factory that the action was created with.
    ///
    /// Subscribing to the work does not count as an execution. A factory that takes a `WorkContext` gets one that is
    /// never canceled.
    public var workFactory: WorkFactory {
        { [factory, gate] input in
            factory(input, WorkContext(execution: Execution<Element>(id: ExecutionID(), gate: gate, results: nil)))
        }
    }

    // MARK: - State

    /// How the action treats an input that arrives while work is in flight. A change applies from the next input on.
    public var overlap: Overlap {
        get { gate.overlap }
        set { gate.setOverlap(newValue) }
    }

    /// Changes `overlap`, and whether inputs belong to groups, each of which has that overlap for itself. Executions
    /// keep their groups.
    package func setOverlap(_ overlap: Overlap, isGrouped: Bool) { gate.setOverlap(overlap, grouped: isGrouped) }

    /// Whether work is in flight.
    public var isExecuting: Bool { gate.isExecuting }

    /// Whether an input would be accepted now.
    public var isEnabled: Bool { gate.isEnabled }

    /// Whether work is in flight. Emits the current value on subscription, then each change. Completes when the action
    /// is released.
    public var executing: Observable<Bool> { streams.executing }

    /// Whether an input would be accepted. Emits the current value on subscription, then each change. Completes when
    /// the action is released.
    public var enabled: Observable<Bool> { streams.enabled }

    private var streams: ActionStreams<Element> {
        let streams = gate.streams { ActionStreams<Element>(executing: $0, enabled: $1) }
        // This property is the only creator of the gate's streams.
        return unsafeDowncast(streams, to: ActionStreams<Element>.self)
    }

    // MARK: - Events

    /// The elements of all executions. Completes when the action is released; never fails.
    public var elements: Observable<Element> { streams.elements }

    /// `.notEnabled` for each refused attempt, `.underlyingError` for each failed or canceled execution. Completes when
    /// the action is released; never fails.
    public var errors: Observable<ActionError> { streams.errors }

    /// The `underlyingError` values of `errors`: failures, cancellations, and `Refusal.queueFull`.
    public var underlyingError: Observable<any Error> {
        errors.compactMap { error in
            switch error {
            case .notEnabled: nil
            case .underlyingError(let error): error
            }
        }
    }

    /// One element for each execution that completed.
    public var completions: Observable<Void> { streams.completions }

    /// Each execution when it starts. Completes when the action is released; never fails.
    public var executions: Observable<Execution<Element>> { streams.executions }

    /// The results of each execution when it starts. A failed execution completes its inner sequence without an error.
    public var executionObservables: Observable<Observable<Element>> {
        executions.map { execution in execution.elements.catch { _ in .empty() } }
    }

    /// Every transition of the action, in order. Completes when the action is released; never fails.
    public var transitions: Observable<ActionTransition<Element>> { streams.transitions }
}

/// An action whose work emits no elements, only completion or an error. `completions` reports each success;
/// `execute(_:).asCompletable()` is the result of one execution.
public typealias CompletableAction<Input: RxSendable> = Action<Input, Never>

/// An action without input: what a button or another source of ticks executes. An `ActionTrigger` and an
/// `ActionBinding` hold one at a time.
public typealias TriggerAction = Action<Void, Void>

/// The name of `TriggerAction` in the Action library.
public typealias CocoaAction = TriggerAction

extension Action where Input == Void {
    /// Executes the action and returns its results, replayed to late subscribers. See `execute(_:)`.
    @discardableResult
    public func execute() -> Observable<Element> { execute(()) }

    /// Starts an execution and keeps no elements for late subscribers unless `overlap` is `join`. See `start(_:id:)`.
    @discardableResult
    public func start(id: ExecutionID = ExecutionID()) -> Result<Execution<Element>, Refusal> { start((), id: id) }
}
