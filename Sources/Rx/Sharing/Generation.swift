/// One subscription to a source together with what hands it to several. Made for the first subscriber or the first
/// `connect()`, whichever comes first; over when the source has ended or the connection was disposed.
///
/// Who holds whom, so that no circle is left that an end or disposal does not break: the connectable holds its current
/// generation, the source holds the feed of the subject, the subscribers hold the connection.
protocol Generation<Output>: AnyObject, Sendable {
    associatedtype Output: Sendable

    var connection: Connection { get }

    /// Subscribes `stage`, to be fed once connected.
    func join(_ stage: Stage<Output>)

    /// Subscribes to the source, the first time.
    func connect()
}

/// One who holds a current thing that may become over.
protocol Owner: AnyObject, Sendable {
    /// `object` is over; it may not be the current one.
    func forget(_ object: AnyObject)
}

/// What stops the source for all: what `connect()` returns.
final class Connection: DisposeBase, Cancelable, Keepable, @unchecked Sendable {
    // Unchecked: its state is atomic; `owner` is immutable.
    private let slot = DisposableSlot()
    private let bag = BagSlot()
    private weak let owner: (any Owner)?

    init(owner: (any Owner)?) {
        self.owner = owner
        super.init()
    }

    var isDisposed: Bool { slot.isDisposed }

    func keep(in bag: BagMembers) -> Bool { self.bag.set(bag) }

    func attach(_ upstream: DisposeBase) {
        precondition(slot.set(upstream), "a connection has one upstream")
    }

    override func dispose() {
        if let upstream = end() { upstream?.dispose() }
    }

    /// Makes it over and gives up the source; nil when it was over.
    ///
    /// The owner forgets it first of all, so that who comes from within the delivery of the end finds a new one.
    func end() -> DisposeBase?? {
        guard let upstream = slot.close() else { return nil }
        owner?.forget(self)
        bag.close()?.leave(self)
        return .some(upstream)
    }
}

/// The generation of a client's own connectable.
final class ForeignGeneration<Connectable: ConnectableObservableType>: Generation, Sendable {
    private let connectable: Connectable
    let connection = Connection(owner: nil)

    init(_ connectable: Connectable) {
        self.connectable = connectable
    }

    func join(_ stage: Stage<Connectable.Element>) { connectable.asObservable().subscribe(into: stage) }
    func connect() { connection.attach(.from(connectable.connect())) }
}
