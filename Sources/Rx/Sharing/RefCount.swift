extension ConnectableObservableType {
    /// Connects with the first subscriber and disposes the connection after the last one.
    ///
    /// ```
    /// source      --1--2--3-!
    /// refCount()
    ///   first     ^-1--2-!
    ///   second       ^-2--3-!
    /// ```
    public func refCount() -> Observable<Element> { RefCount(self) }
}

final class RefCount<Connectable: ConnectableObservableType>: Producer<Connectable.Element>, Owner, Traced,
    @unchecked Sendable
{
    // Unchecked: see `Observable`; `lock` guards `current`.
    typealias Element = Connectable.Element

    private struct Current {
        let generation: any Generation<Element>
        let audience: Audience
    }

    let connectable: Connectable
    /// The name in traces if this, including its connectable, is `share`.
    private let shareName: String?
    private let lock = Lock()
    private var current: Current?

    init(_ connectable: Connectable, shareName: String? = nil) {
        self.connectable = connectable
        self.shareName = shareName
        super.init()
    }

    var tracedName: String { shareName ?? "refCount" }
    var tracedPlace: String? { nil }

    var tracedSources: [any AnyObservable] {
        if shareName != nil, let connectable = connectable as? any Traced { return connectable.tracedSources }
        return (connectable as? any AnyObservable).map { [$0] } ?? []
    }

    override func run(_ stage: Stage<Element>) {
        // Counted before it subscribes, so that another subscriber's disposal does not end the connection meanwhile.
        let current = enter()
        let sink = RefCountSink(stage, current.audience)
        stage.attach(sink)
        if sink.isOpen { current.generation.join(sink) }
        if sink.isOpen, current.audience.mayConnect() { current.generation.connect() }
    }

    private func enter() -> Current {
        lock.lock()
        if let current, current.audience.enter() {
            lock.unlock()
            return current
        }
        let previous = current
        let generation =
            (connectable as? ConnectableObservable<Element>)?.generation() ?? ForeignGeneration(connectable)
        let made = Current(generation: generation, audience: Audience(generation.connection, owner: self))
        current = made
        lock.unlock()
        // Released outside the lock, with everything it holds.
        return withExtendedLifetime(previous) { made }
    }

    func forget(_ audience: AnyObject) {
        let gone = lock.withLock { () -> Current? in
            guard let current, current.audience === audience else { return nil }
            defer { self.current = nil }
            return current
        }
        withExtendedLifetime(gone) {}
    }
}

/// The counted subscribers of one generation.
private final class Audience: @unchecked Sendable {
    // Unchecked: `lock` guards the mutable state.
    private enum State {
        case waiting
        case connected
        case over
    }

    private let connection: Connection
    private weak let owner: (any Owner)?
    private let lock = Lock()
    private var count = 1
    private var state = State.waiting

    init(_ connection: Connection, owner: any Owner) {
        self.connection = connection
        self.owner = owner
    }

    /// Adds a subscriber. Returns false if the generation has ended.
    func enter() -> Bool {
        lock.withLock {
            switch state {
            case .over: return false
            case .waiting, .connected: if connection.isDisposed { return false }
            }
            count += 1
            return true
        }
    }

    /// Returns true once, unless the generation has ended.
    func mayConnect() -> Bool {
        lock.withLock {
            switch state {
            case .waiting:
                state = .connected
                return true
            case .connected, .over:
                return false
            }
        }
    }

    /// Removes a subscriber. The generation ends after the last one.
    func leave() {
        close {
            count -= 1; return count == 0
        }
    }

    /// Handles the end of the sequence for all subscribers.
    func end() {
        close { true }
    }

    /// Ends the connection in the same step as the audience, so that no later subscriber joins the old one.
    private func close(if isOver: () -> Bool) {
        lock.lock()
        let before = state
        guard isOver(), before != .over else { return lock.unlock() }
        state = .over
        // If it was never connected, it stays with the connectable for later subscribers.
        let closed = before == .connected ? connection.close() : nil
        lock.unlock()
        owner?.forget(self)
        closed?.finish()
    }
}

private final class RefCountSink<Element: RxSendable>: Valve<Element, Element>, @unchecked Sendable {
    // Unchecked: see `Stage`.
    private let audience: Audience

    init(_ downstream: Stage<Element>, _ audience: Audience) {
        self.audience = audience
        super.init(downstream)
    }

    override func next(_ element: Element) {
        guard isOpen else { return }
        downstream.next(element)
    }

    override func failed(_ error: any Error) {
        audience.end()
        downstream.error(error)
    }

    override func finished() {
        audience.end()
        downstream.completed()
    }

    override func closed() { audience.leave() }
}
