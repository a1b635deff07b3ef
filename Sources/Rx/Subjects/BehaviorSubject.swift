/// Hands what it receives to its subscribers, and its current value to new ones first.
///
/// `on` may be called from several threads, and from within a delivery: events are delivered one at a time, in one order.
public final class BehaviorSubject<Element: Sendable>: Observable<Element>, SubjectType, Cancelable, ObserverType,
    @unchecked Sendable
{
    // Unchecked: see `Observable`.
    public typealias SubjectObserverType = BehaviorSubject<Element>

    private let broadcast: ValueBroadcast<Element>

    public init(value: Element) {
        broadcast = ValueBroadcast(value)
        super.init()
    }

    /// The latest element received, or the initial one.
    ///
    /// - Throws: the error the subject ended with, or `RxError.disposed`.
    public func value() throws -> Element { try broadcast.current() }

    /// Whether anyone is subscribed.
    public var hasObservers: Bool { broadcast.hasObservers }

    public func on(_ event: Event<Element>) { broadcast.on(event) }

    public func asObserver() -> BehaviorSubject<Element> { self }

    public override func run(_ stage: Stage<Element>) { broadcast.join(stage) }

    public var isDisposed: Bool { broadcast.isDisposed }

    /// Lets go of the subscribers, without an event; later ones get `RxError.disposed`.
    public func dispose() { broadcast.dispose(RxError.disposed(object: "BehaviorSubject")) }
}

private final class ValueBroadcast<Element: Sendable>: Broadcast<Element>, @unchecked Sendable {
    // Unchecked: `value` is guarded by the lock.
    private var value: Element
    private var isEnded = false

    init(_ value: Element) {
        self.value = value
    }

    func current() throws -> Element {
        try lock.withLock {
            if let failure { throw failure }
            return value
        }
    }

    override func keep(_ element: Element) -> Element? {
        let previous = value
        value = element
        return previous
    }

    override func last(before end: Event<Element>) -> Element? {
        isEnded = true
        return nil
    }

    /// A subject that has ended tells only that.
    override func replayed() -> [Event<Element>] { isEnded ? [] : [.next(value)] }
}
