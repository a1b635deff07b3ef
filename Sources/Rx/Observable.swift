/// A sequence of events; the type that operators take and return.
///
/// Subclasses override one of the two methods: `subscribe(_:)` when made outside of this module in the way of a
/// client, or `run(_:)` when they are written as operators are (see `Producer`). Each is defined by the other.
open class Observable<Element: Sendable>: ObservableType, @unchecked Sendable {
    // Unchecked, once for the whole hierarchy: subclasses keep only immutable `Sendable` values, or guard what changes.

    #if TRACE_RESOURCES
        public init() {
            Resources.incrementTotal()
            if Tracing.isOn { Tracing.note(self) }
        }
        deinit { Resources.decrementTotal() }
    #else
        public init() { if Tracing.isOn { Tracing.note(self) } }
    #endif

    open func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        subscribe(ObserverSink(observer))
    }

    /// Starts this sequence into a stage: attaches what stops it, before the first event, then delivers the events.
    open func run(_ stage: Stage<Element>) {
        let upstream = SingleAssignmentDisposable()
        stage.attach(upstream)
        upstream.setDisposable(subscribe(AnyObserver(stage)))
    }

    public final func asObservable() -> Observable<Element> { self }

    /// `run(_:)` at the head of a chain, in whatever surroundings that needs.
    public func subscribe(into stage: Stage<Element>) {
        if Tracing.isOn { Tracing.note(stage, subscribedTo: self) }
        run(stage)
    }

    /// Whether `run(_:)` sends all there is at once, an element at most, and has nothing to be stopped.
    var isScalar: Bool { false }
}

/// The same type under a name that no `Observable` of another module hides.
public typealias RxObservable<Element: Sendable> = Observable<Element>
