public import Rx

/// Work that can be enabled, executed, observed and cancelled.
///
/// The check whether an input may start and the start are one step, so that of two threads calling at the same time
/// one is refused. Every execution owns its results. See `ActionTransition` for the order of what is told.
public final class Action<Input: Sendable, Element: Sendable>: Sendable {
    private let gate: ActionGate
    private let condition: any Disposable
    private let factory: @Sendable (Input, WorkContext) -> Observable<Element>

    /// - Parameters:
    ///   - enabledIf: sampled at once and followed; false until it has a value and after it has failed.
    ///   - overlap: what an input does that arrives while work is in flight.
    ///   - work: makes the work for an input; called for executions only, never for refused inputs.
    ///   - onTransition: told of everything, in order and never twice at a time, by whichever thread delivers.
    public init(
        enabledIf: Observable<Bool> = .just(true),
        overlap: Overlap = .reject,
        work: @escaping @Sendable (Input, WorkContext) -> Observable<Element>,
        onTransition: (@Sendable (ActionTransition<Element>) -> Void)? = nil
    ) {
        let gate = ActionGate(overlap, onTransition.map { Transitions<Element>($0) })
        self.gate = gate
        factory = work
        condition = enabledIf.subscribe(
            onNext: { gate.conditionChanged(to: $0) },
            onError: { gate.conditionFailed($0) }
        )
        gate.conditionSampled()
    }

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

    /// For a factory that returns something else than an `Observable`.
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

    /// Executes `input` as `overlap` says and returns its results, replayed to late subscribers; or, refused, fails with
    /// `.notEnabled`, or with `.underlyingError(Refusal.queueFull)`.
    ///
    /// Executes whether or not anyone subscribes; disposing a subscription cancels nothing.
    @discardableResult
    public func execute(_ input: Input) -> Observable<Element> {
        switch begin(input, ExecutionID(), replays: true) {
        case .success(let execution): execution.elements
        case .failure(let refusal): Observable.error(ActionError(refusal))
        }
    }

    /// What `execute` is made of: no result observable, and nothing kept for late subscribers unless others may join.
    ///
    /// - Returns: the execution, which may be `queued`; under `Overlap.join` it can be another than `id`.
    @discardableResult
    public func start(_ input: Input, id: ExecutionID = ExecutionID()) -> Result<Execution<Element>, Refusal> {
        begin(input, id, replays: overlap == .join)
    }

    /// For a caller that keeps for others what they may join: the execution keeps no element.
    @discardableResult
    package func startKeepingNothing(_ input: Input, id: ExecutionID) -> Result<Execution<Element>, Refusal> {
        begin(input, id, replays: false)
    }

    /// Takes up an input that was accepted in an earlier life of the action: it waits until nothing stands against its
    /// start, also beyond a queue's limit and while the condition does not hold.
    package func resume(_ input: Input, id: ExecutionID) {
        let execution = Execution<Element>(id: id, gate: gate, results: nil)
        execution.means.work = Work(execution, input, factory)
        gate.resume(execution)
    }

    private func begin(_ input: Input, _ id: ExecutionID, replays: Bool) -> Result<Execution<Element>, Refusal> {
        let execution = Execution<Element>(id: id, gate: gate, results: replays ? Results<Element>(replays: true) : nil)
        execution.means.work = Work(execution, input, factory)
        switch gate.start(execution) {
        case .accepted:
            return .success(execution)
        case .joined(let joined):
            execution.means.work = nil
            // A gate has executions of one element type, that of its action.
            return .success(unsafeDowncast(joined, to: Execution<Element>.self))
        case .refused(let refusal):
            // Work and execution hold each other until the end, which a refused one never has.
            execution.means.work = nil
            return .failure(refusal)
        }
    }

    /// Begins an execution of which nobody is told, for a caller that does its work itself, at once and on this thread, and
    /// then calls `endBrief`. It takes part in the overlap like any other.
    ///
    /// - Returns: whether it has begun; if not, nothing has happened and `start` is to be asked.
    ///
    /// - Parameter note: called if it has begun, with the gate's lock held.
    package func beginBrief(_ id: ExecutionID, _ note: () -> Void) -> Bool { gate.beginBrief(id, note) }

    /// Calls `body` with the gate's lock held if `id` is what `beginBrief` has begun.
    package func ifBrief<Result>(_ id: ExecutionID, _ body: () -> Result) -> Result? {
        gate.lock.withLock { gate.isBrief(id) ? body() : nil }
    }

    package func endBrief() { gate.endBrief() }

    /// What `start` would do at this moment, without doing it.
    public func check() -> Result<Outlook, Refusal> {
        switch gate.outlook() {
        case nil: .success(.starts)
        case .accepted: .success(.waits)
        case .joined(let joined): .success(.joins(joined.id))
        case .refused(let refusal): .failure(refusal)
        }
    }

    /// An observer each of whose elements is executed. Errors and completions sent to it are ignored.
    public var inputs: AnyObserver<Input> {
        AnyObserver { [weak self] event in
            if case .next(let input) = event { self?.start(input) }
        }
    }

    // MARK: - State

    /// What an input does that arrives while work is in flight; a change holds from the next input on.
    public var overlap: Overlap {
        get { gate.overlap }
        set { gate.setOverlap(newValue) }
    }

    /// Whether work is in flight.
    public var isExecuting: Bool { gate.isExecuting }

    /// Whether an input would be accepted now.
    public var isEnabled: Bool { gate.isEnabled }

    /// Whether work is in flight; the current value first, then each change.
    public var executing: Observable<Bool> { streams.executing }

    /// Whether an input would be accepted; the current value first, then each change.
    public var enabled: Observable<Bool> { streams.enabled }

    private var streams: ActionStreams<Element> {
        let streams = gate.streams { ActionStreams<Element>(executing: $0, enabled: $1) }
        // The only place that makes the streams of this gate.
        return unsafeDowncast(streams, to: ActionStreams<Element>.self)
    }

    // MARK: - Events

    /// The elements of all executions.
    public var elements: Observable<Element> { streams.elements }

    /// `.notEnabled` for each refused attempt, `.underlyingError` for each failed or cancelled execution.
    public var errors: Observable<ActionError> { streams.errors }

    /// The errors that work failed with.
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

    /// The executions, as they start.
    public var executions: Observable<Execution<Element>> { streams.executions }

    /// The results of each execution as it starts; a failure ends them without an error.
    public var executionObservables: Observable<Observable<Element>> {
        executions.map { execution in execution.elements.catch { _ in .empty() } }
    }

    /// Everything the action does, in order.
    public var transitions: Observable<ActionTransition<Element>> { streams.transitions }
}

/// An action whose work yields no elements, only its end: `completions` tells it, `execute(_:).asCompletable()` is it.
public typealias CompletableAction<Input: Sendable> = Action<Input, Never>

/// An action without input.
public typealias TriggerAction = Action<Void, Void>

extension Action where Input == Void {
    @discardableResult
    public func execute() -> Observable<Element> { execute(()) }

    @discardableResult
    public func start(id: ExecutionID = ExecutionID()) -> Result<Execution<Element>, Refusal> { start((), id: id) }
}
