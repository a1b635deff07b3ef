public import Rx
internal import Synchronization

/// Receives actions and emits them to its subscribers. Grammar: `next*`; it ignores errors and completions sent to it.
///
/// A reactor's subject passes each action to the reactor. In the action's turn, subscribers get it first and
/// `transform(action:)` right after them. A subject created separately emits to its subscribers at once.
public final class ActionSubject<Element: RxSendable>: Observable<Element>, SubjectType, ObserverType,
    @unchecked Sendable
{
    // Unchecked: see `Observable`.
    private let observers: PublishSubject<Element>
    private let isOfReactor: Bool
    /// Weak: retaining the subject does not retain the reactor's state.
    private weak let entry: ActionEntry<Element>?
    private let count = ObserverCount()

    public override init() {
        observers = PublishSubject()
        entry = nil
        isOfReactor = false
        super.init()
    }

    init(entry: ActionEntry<Element>, observers: PublishSubject<Element>) {
        self.observers = observers
        self.entry = entry
        isOfReactor = true
        super.init()
    }

    /// The number of subscriptions, without the reactor itself.
    public var observerCount: Int { count.value.load(ordering: .relaxed) }
    /// Whether there is at least one subscription, without the reactor itself.
    public var hasObservers: Bool { observerCount > 0 }

    /// Passes on an element; ignores an error or a completion.
    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): onNext(element)
        case .error, .completed: break
        }
    }

    /// Passes `element` to the reactor, or to the subscribers if there is no reactor.
    public func onNext(_ element: Element) {
        if isOfReactor { entry?.dispatch(element) } else { observers.onNext(element) }
    }

    /// Ignored.
    public func onError(_ error: any Error) {}
    /// Ignored.
    public func onCompleted() {}

    /// Returns this subject.
    public func asObserver() -> ActionSubject<Element> { self }

    public override func run(_ stage: Stage<Element>) { observers.run(CountedObserver(stage, count)) }
}

/// The entry of a reactor for actions.
class ActionEntry<Action: RxSendable>: @unchecked Sendable {
    // Unchecked: see `ReactorCore`.
    func dispatch(_ action: Action) {}
}

private final class ObserverCount: Sendable {
    let value = Atomic(0)
}

/// Counts one subscription until it ends or is disposed.
private final class CountedObserver<Element: RxSendable>: Pass<Element, Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let count: ObserverCount

    init(_ downstream: Stage<Element>, _ count: ObserverCount) {
        self.count = count
        super.init(downstream)
    }

    override func attach(_ upstream: DisposeBase) {
        count.value.add(1, ordering: .relaxed)
        downstream.attach(Counted(upstream, count))
    }

    /// Keeps the upstream, whose disposal counts.
    override func detach() {}

    override func next(_ element: Element) { downstream.next(element) }
}

private final class Counted: DisposeBase, @unchecked Sendable {
    // Unchecked: immutable except for atomics.
    private let upstream: DisposeBase
    private let count: ObserverCount
    private let isOver = Atomic(false)

    init(_ upstream: DisposeBase, _ count: ObserverCount) {
        self.upstream = upstream
        self.count = count
    }

    override func dispose() {
        if isOver.exchange(true, ordering: .relaxed) { return }
        count.value.subtract(1, ordering: .relaxed)
        upstream.dispose()
    }
}
