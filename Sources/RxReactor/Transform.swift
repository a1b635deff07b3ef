internal import Rx
internal import Synchronization

/// One of a reactor's three transforms: its operator chain, created once, and the handling of its output and failures.
///
/// After a failure the chain is subscribed to again. Waiting elements survive, because they arrive in turns; the failed
/// one is lost. A chain that fails during subscription, for example because it merges a stream that has failed for
/// good, is retried with each element. It receives that element while it is being subscribed to, so the working part of
/// the chain continues.
final class Transform<Element: RxSendable>: @unchecked Sendable {
    // Unchecked: mutable state is changed only in turns or has its own lock.
    private let inflow: Inflow<Element>
    private let chain: Observable<Element>
    private let executor: ReactorExecutor
    /// The element that starts a resubscribed chain.
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

    /// Whether the chain passes elements on unchanged and needs no subscription.
    var isIdentity: Bool { chain === inflow }

    func start() {
        if isIdentity { return }
        if let error = subscribe(with: nil, isAgain: false).error { fail(error) }
    }

    /// Sends an element into the started chain. Called in a turn.
    func feed(_ element: Element) {
        if let outlet, outlet.hasFailed { return feedAgain(element) }
        outlet?.hasWorked = true
        inflow.send(element)
    }

    // A separate function because this path is rare: see `ReactorCore`.
    @inline(never)
    private func feedAgain(_ element: Element) {
        let outcome = subscribe(with: element, isAgain: true)
        if let error = outcome.error, !outcome.isTaken { fail(error) }
    }

    /// Subscribes to the chain. Returns its error if it failed immediately, and whether it took the element.
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

    /// Subscribes again after a failure. Called in a turn.
    private func recover(_ outlet: Outlet<Element>, _ error: any Error) {
        // The same failure as before: it is already reported, and the next element triggers a retry.
        if outlet.isAgain, !outlet.hasWorked { return }
        fail(error)
        if outlet === self.outlet { _ = subscribe(with: latest(), isAgain: true) }
    }

    /// Disposes the subscription, from any thread.
    func dispose() { slot.dispose() }
}

/// Receives the output of a chain.
private final class Outlet<Element: RxSendable>: Sink<Element>, @unchecked Sendable {
    // Unchecked: see `Stage`; the rest is changed only in turns.
    private weak let transform: Transform<Element>?
    private let send: @Sendable (Element) -> Void
    private let failing = Atomic(false)
    private let working = Atomic(false)
    let isAgain: Bool
    /// The error during subscription, if it failed.
    @exclusivity(unchecked) var failure: (any Error)?

    init(_ transform: Transform<Element>, _ send: @escaping @Sendable (Element) -> Void, isAgain: Bool) {
        self.transform = transform
        self.send = send
        self.isAgain = isAgain
        super.init()
    }

    /// Whether it accepts no more elements and must be replaced.
    var hasFailed: Bool { failing.load(ordering: .acquiring) }

    /// Whether any element went in or came out.
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

/// The input of a chain. An element sent during subscription reaches every subscriber that subscribes meanwhile.
private final class Inflow<Element: RxSendable>: Observable<Element>, @unchecked Sendable {
    // Unchecked: see `Observable`; mutable state is touched only in turns.
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

    /// Ends the subscription phase. Returns whether anything has subscribed since `begin`.
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
