/// Where the events of one subscription arrive, between its source and its observer.
///
/// A subscription is a chain of stages, each knowing the next one down. Events travel down as three direct calls.
/// What stops the source travels down too, once and before the first event, as `attach(_:)`; a stage with nothing to
/// stop hands it on, so that disposing a subscription jumps over such stages to the ones that matter.
///
/// Calls are serial: a source never makes two at the same time. A plain stage checks nothing; the nearest `Sink` below
/// enforces the grammar and the source above it stops when disposed.
open class Stage<Element: Sendable>: DisposeBase, @unchecked Sendable {
    // Unchecked, once for the whole hierarchy: what a stage changes is changed by the serial calls of its source, or is
    // atomic, or is guarded by a lock of its own.

    public override init() { super.init() }

    /// Receives what stops everything above. At most once, before the first event.
    open func attach(_ upstream: DisposeBase) { preconditionFailure("a stage overrides attach(_:)") }

    open func next(_ element: Element) { preconditionFailure("a stage overrides next(_:)") }

    open func error(_ error: any Error) { preconditionFailure("a stage overrides error(_:)") }

    open func completed() { preconditionFailure("a stage overrides completed()") }

    /// The three calls by an event, for queues that keep events.
    public final func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): next(element)
        case .error(let error): self.error(error)
        case .completed: completed()
        }
    }
}

/// A stage that holds nothing to stop and hands on all but `next(_:)`: the base of `map`, `filter`, `scan` and their like.
open class Pass<Element: Sendable, Output: Sendable>: Stage<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    public let downstream: Stage<Output>

    public init(_ downstream: Stage<Output>) {
        self.downstream = downstream
        super.init()
    }

    open override func attach(_ upstream: DisposeBase) { downstream.attach(upstream) }
    open override func error(_ error: any Error) { downstream.error(error) }
    open override func completed() { downstream.completed() }
}
