extension ConnectableObservableType {
    /// Connects with the first subscriber and disposes the connection when the last one leaves.
    ///
    /// ```
    /// source                 --1--2--3--
    /// publish().refCount()
    ///   first                ^-1--2-!
    ///   second                   ^2--3-!
    ///   source is subscribed ^---------!
    /// ```
    public func refCount() -> Observable<Element> { RefCount(self) }
}

final class RefCount<Connectable: ConnectableObservableType>: Producer<Connectable.Element>, Owner, Traced,
    @unchecked Sendable
{
    // Unchecked: see `Observable`; `current` is guarded by `lock`.
    typealias Element = Connectable.Element

    private struct Current {
        let generation: any Generation<Element>
        let audience: Audience
    }

    let connectable: Connectable
    /// What it goes by in traces when it is `share`, connectable and all.
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
        // It is counted before it subscribes, so that no one else's leaving ends the connection meanwhile.
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
        // Released outside of the lock, with what it may hold.
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

/// The subscribers of one generation, counted.
private final class Audience: @unchecked Sendable {
    // Unchecked: what changes is guarded by `lock`.
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

    /// Counts one more; false when it is over.
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

    /// True once, unless it is over.
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

    /// Counts one less; without anyone it is over.
    func leave() {
        close {
            count -= 1; return count == 0
        }
    }

    /// The sequence has ended, for all.
    func end() {
        close { true }
    }

    /// The connection becomes over in the same step as the audience: who comes next does not get into the old one.
    private func close(if isOver: () -> Bool) {
        lock.lock()
        let before = state
        guard isOver(), before != .over else { return lock.unlock() }
        state = .over
        // What was never connected stays with the connectable, for those who come next.
        let closed = before == .connected ? connection.close() : nil
        lock.unlock()
        owner?.forget(self)
        closed?.finish()
    }
}

private final class RefCountSink<Element: Sendable>: Valve<Element, Element>, @unchecked Sendable {
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
