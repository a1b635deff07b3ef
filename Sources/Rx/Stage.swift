/// Receives the events of one subscription, between its source and its observer.
///
/// A subscription is a chain of stages, each of which knows the next one down. Events travel down as three direct
/// calls. Before the first event, the disposable that stops the source travels down once, as `attach(_:)`. A stage with
/// nothing to stop passes it on, so that disposal skips such stages.
///
/// Calls are serial: a source never makes two at the same time. A plain stage checks nothing. The nearest `Sink` below
/// enforces the grammar, and the source above it stops when disposed.
open class Stage<Element: RxSendable>: DisposeBase, @unchecked Sendable {
    // Unchecked, once for the whole hierarchy: a stage's mutable state is changed only by its source's serial calls, or
    // is atomic, or has its own lock.

    public override init() { super.init() }

    /// Receives the disposable that stops everything above. Called at most once, before the first event.
    open func attach(_ upstream: DisposeBase) { preconditionFailure("a stage overrides attach(_:)") }

    /// Releases what `attach(_:)` received, without disposing it: it is over, and no event follows. Does nothing in
    /// stages that keep it for other reasons.
    open func detach() {}

    open func next(_ element: Element) { preconditionFailure("a stage overrides next(_:)") }

    open func error(_ error: any Error) { preconditionFailure("a stage overrides error(_:)") }

    open func completed() { preconditionFailure("a stage overrides completed()") }

    /// Passes an event to one of the three methods, for queues that store events.
    public final func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): next(element)
        case .error(let error): self.error(error)
        case .completed: completed()
        }
    }
}

/// A stage that has nothing to stop and passes on everything except `next(_:)`: the base of `map`, `filter`, `scan`,
/// and similar operators.
open class Pass<Element: RxSendable, Output: RxSendable>: Stage<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    /// The next stage down.
    public let downstream: Stage<Output>

    /// Creates a stage above `downstream`.
    public init(_ downstream: Stage<Output>) {
        self.downstream = downstream
        super.init()
    }

    open override func attach(_ upstream: DisposeBase) { downstream.attach(upstream) }
    open override func detach() { downstream.detach() }
    open override func error(_ error: any Error) { downstream.error(error) }
    open override func completed() { downstream.completed() }
}
