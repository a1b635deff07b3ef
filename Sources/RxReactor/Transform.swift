internal import Rx
internal import Synchronization

/// One of a reactor's three transforms: a chain of operators that the reactor was asked for once, and what comes out of it.
///
/// When it fails it is subscribed again. What waits meanwhile is not lost, since elements come in turns; the one that it
/// failed with is. A chain that fails as soon as it is subscribed, such as one that merges a stream that has failed for
/// good, is tried again with each element, which it receives while it is being subscribed: so much of it as works goes on.
final class Transform<Element: Sendable>: @unchecked Sendable {
    // Unchecked: what changes is changed in turns only, or guards itself.
    private let inflow: Inflow<Element>
    private let chain: Observable<Element>
    private let executor: ReactorExecutor
    /// What a chain that is subscribed again begins with.
    private let latest: @Sendable () -> Element?
    private let send: @Sendable (Element) -> Void
    private let fail: @Sendable (any Error) -> Void
    private let slot = SerialDisposable()
    @exclusivity(unchecked) private var outlet: Outlet<Element>?
    @exclusivity(unchecked) private var isStarting = false

    init(
        _ transform: (Observable<Element>) -> Observable<Element>, _ executor: ReactorExecutor,
        latest: @escaping @Sendable () -> Element? = { nil }, _ send: @escaping @Sendable (Element) -> Void,
        fail: @escaping @Sendable (any Error) -> Void
    ) {
        inflow = Inflow(executor)
        chain = transform(inflow)
        self.executor = executor
        self.latest = latest
        self.send = send
        self.fail = fail
    }

    /// Whether what comes in comes out: there is nothing to be subscribed.
    var isIdentity: Bool { chain === inflow }

    func start() {
        if isIdentity { return }
        if let error = subscribe(with: nil, isAgain: false).error { fail(error) }
    }

    /// In a turn, once it was started.
    func feed(_ element: Element) {
        if let outlet, outlet.hasFailed { return feedAgain(element) }
        outlet?.hasWorked = true
        inflow.send(element)
    }

    // Apart, since few come here: see `ReactorCore`.
    @inline(never)
    private func feedAgain(_ element: Element) {
        let outcome = subscribe(with: element, isAgain: true)
        if let error = outcome.error, !outcome.isTaken { fail(error) }
    }

    /// The error that it failed with at once, and whether it took the element.
    private func subscribe(with element: Element?, isAgain: Bool) -> (error: (any Error)?, isTaken: Bool) {
        let outlet = Outlet(self, send, isAgain: isAgain)
        self.outlet = outlet
        isStarting = true
        inflow.begin(with: element)
        slot.disposable = outlet
        CurrentThreadScheduler.withinTurn { chain.subscribe(into: outlet) }
        isStarting = false
        return (outlet.failure, inflow.end())
    }

    fileprivate func failed(_ outlet: Outlet<Element>, _ error: any Error) {
        if executor.isCurrent, isStarting, outlet === self.outlet {
            outlet.failure = error
        } else {
            executor.inTurn { self.recover(outlet, error) }
        }
    }

    /// In a turn.
    private func recover(_ outlet: Outlet<Element>, _ error: any Error) {
        // The same failure as before: it was told, and the next element tries again.
        if outlet.isAgain, !outlet.hasWorked { return }
        fail(error)
        if outlet === self.outlet { _ = subscribe(with: latest(), isAgain: true) }
    }

    /// From any thread.
    func dispose() { slot.dispose() }
}

/// Where what a chain makes arrives.
private final class Outlet<Element: Sendable>: Sink<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`; the rest is changed in turns only.
    private weak let transform: Transform<Element>?
    private let send: @Sendable (Element) -> Void
    private let failing = Atomic(false)
    private let working = Atomic(false)
    let isAgain: Bool
    /// What it failed with while it was being subscribed.
    @exclusivity(unchecked) var failure: (any Error)?

    init(_ transform: Transform<Element>, _ send: @escaping @Sendable (Element) -> Void, isAgain: Bool) {
        self.transform = transform
        self.send = send
        self.isAgain = isAgain
        super.init()
    }

    /// It takes no element any more, and is to be replaced.
    var hasFailed: Bool { failing.load(ordering: .acquiring) }

    /// Whether anything went in or came out.
    var hasWorked: Bool {
        get { working.load(ordering: .relaxed) }
        set { if working.load(ordering: .relaxed) != newValue { working.store(newValue, ordering: .relaxed) } }
    }

    override func next(_ element: Element) {
        guard isOpen else { return }
        hasWorked = true
        send(element)
    }

    override func failed(_ error: any Error) {
        failing.store(true, ordering: .releasing)
        transform?.failed(self, error)
    }
}

/// What a transform is given. An element that it is subscribed with reaches each that subscribes meanwhile.
private final class Inflow<Element: Sendable>: Observable<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`; what changes is touched in turns only.
    private let elements = PublishSubject<Element>()
    private let executor: ReactorExecutor
    @exclusivity(unchecked) private var offer: Offer?

    private struct Offer {
        let element: Element
        var isTaken = false
    }

    init(_ executor: ReactorExecutor) {
        self.executor = executor
        super.init()
    }

    func send(_ element: Element) { elements.onNext(element) }

    func begin(with element: Element?) { offer = element.map { Offer(element: $0) } }

    /// Whether anyone has subscribed since `begin`.
    func end() -> Bool {
        defer { offer = nil }
        return offer?.isTaken ?? true
    }

    override func run(_ stage: Stage<Element>) {
        elements.run(stage)
        guard executor.isCurrent, let element = offer?.element else { return }
        offer?.isTaken = true
        stage.next(element)
    }
}
