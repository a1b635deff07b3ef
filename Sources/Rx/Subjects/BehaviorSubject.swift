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
    public func onNext(_ element: Element) { broadcast.next(element) }
    public func onError(_ error: any Error) { broadcast.stop(.error(error)) }
    public func onCompleted() { broadcast.stop(.completed) }

    public func asObserver() -> BehaviorSubject<Element> { self }

    public override func run(_ stage: Stage<Element>) { broadcast.join(stage) }

    public var isDisposed: Bool { broadcast.isDisposed }

    /// Lets go of the subscribers, without an event; later ones get `RxError.disposed`.
    public func dispose() { broadcast.dispose(RxError.disposed(object: "BehaviorSubject")) }
}

private final class ValueBroadcast<Element: Sendable>: TypedBroadcast<Element>, @unchecked Sendable {
    // Unchecked: `value` is guarded by the lock.
    @exclusivity(unchecked) private var value: Element

    init(_ value: Element) {
        self.value = value
    }

    func current() throws -> Element {
        lock.lock()
        defer { lock.unlock() }
        if let failure { throw failure }
        return value
    }

    override var keeps: Bool { true }

    override func keep(_ element: Element, released: inout Element?) {
        released = value
        value = element
    }

    /// A subject that has ended tells only that.
    override func replayed(afterEnd: Bool) -> [Element] { afterEnd ? [] : [value] }
}
