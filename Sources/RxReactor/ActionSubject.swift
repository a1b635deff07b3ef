public import Rx
internal import Synchronization

/// Takes actions and hands them to its subscribers. Errors and completions sent to it are ignored: it never ends.
///
/// That of a reactor hands an action to the reactor, which takes it in a turn: then its subscribers get it, and right after
/// them `transform(action:)`. One that is made by itself hands it to its subscribers at once.
public final class ActionSubject<Element: Sendable>: Observable<Element>, SubjectType, ObserverType, @unchecked Sendable
{
    // Unchecked: see `Observable`.
    private let observers: PublishSubject<Element>
    private let isOfReactor: Bool
    /// Not kept: who holds the actions of a reactor does not hold what it does.
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

    /// How many are subscribed; the reactor itself is not counted.
    public var observerCount: Int { count.value.load(ordering: .relaxed) }
    public var hasObservers: Bool { observerCount > 0 }

    public func on(_ event: Event<Element>) {
        switch event {
        case .next(let element): onNext(element)
        case .error, .completed: break
        }
    }

    public func onNext(_ element: Element) {
        if isOfReactor { entry?.dispatch(element) } else { observers.onNext(element) }
    }

    public func onError(_ error: any Error) {}
    public func onCompleted() {}

    public func asObserver() -> ActionSubject<Element> { self }

    public override func run(_ stage: Stage<Element>) { observers.run(CountedObserver(stage, count)) }
}

/// Where a reactor takes its actions.
class ActionEntry<Action: Sendable>: @unchecked Sendable {
    // Unchecked: see `ReactorCore`.
    func dispatch(_ action: Action) {}
}

private final class ObserverCount: Sendable {
    let value = Atomic(0)
}

/// Counts from the subscription to its end or disposal.
private final class CountedObserver<Element: Sendable>: Pass<Element, Element>, @unchecked Sendable {
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

    override func next(_ element: Element) { downstream.next(element) }
}

private final class Counted: DisposeBase, @unchecked Sendable {
    // Unchecked: immutable but for what is atomic.
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
