/// A sequence of events; the type that operators take and return. Each subscription gets `next* (completed | error)?`.
///
/// Subclasses override one of two methods, each of which is implemented with the other: `subscribe(_:)` outside this
/// module, or `run(_:)` in the manner of operators (see `Producer`).
open class Observable<Element: RxSendable>: ObservableType, @unchecked Sendable {
    // Unchecked, once for the whole hierarchy: subclasses store only immutable `Sendable` values or guard their mutable
    // state.

    #if TRACE_RESOURCES
        /// Creates an observable and counts it in `Resources`.
        public init() {
            Resources.incrementTotal()
            if Tracing.isOn { Tracing.note(self) }
        }
        deinit { Resources.decrementTotal() }
    #else
        /// Creates an observable.
        public init() { if Tracing.isOn { Tracing.note(self) } }
    #endif

    /// Subscribes `observer`. Disposing the result stops the events.
    open func subscribe<Observer: ObserverType>(_ observer: Observer) -> any Disposable
    where Observer.Element == Element {
        subscribe(ObserverSink(observer))
    }

    /// Starts this sequence into a stage: attaches the disposable that stops it, then delivers the events.
    open func run(_ stage: Stage<Element>) {
        let upstream = SingleAssignmentDisposable()
        stage.attach(upstream)
        upstream.setDisposable(subscribe(AnyObserver(stage)))
    }

    // Consuming, so that returning `self` takes no reference counting.
    /// Returns this observable. A subclass may return another one, which then is what operators subscribe to. Its
    /// override must be `consuming`, too: otherwise Swift 6.3 does not release the object.
    open consuming func asObservable() -> Observable<Element> { self }

    /// Calls `run(_:)` for the head of a chain, within the context that it requires.
    public func subscribe(into stage: Stage<Element>) {
        if Tracing.isOn { Tracing.note(stage, subscribedTo: self) }
        run(stage)
    }

    /// Whether `run(_:)` sends all events at once, with at most one element, and needs no disposable.
    var isScalar: Bool { false }
}

/// `Observable` under a name that no other module hides.
public typealias RxObservable<Element: RxSendable> = Observable<Element>
