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
    fileprivate let bag = BagSlot()
    fileprivate weak let owner: (any Owner)?

    init(owner: (any Owner)?) {
        self.owner = owner
        super.init()
    }

    var isDisposed: Bool { slot.isDisposed }

    func keep(in bag: BagMembers) -> Bool { self.bag.set(bag) }

    func attach(_ upstream: DisposeBase) {
        precondition(slot.set(upstream), "a connection has one upstream")
    }

    override func dispose() { close()?.finish() }

    /// Makes it over; nil when it was. An atomic step that calls nothing, so that it may be part of a larger one.
    func close() -> Closed? {
        slot.close().map { Closed(connection: self, upstream: $0) }
    }

    /// What is left to do when a connection has become over.
    struct Closed {
        fileprivate let connection: Connection
        let upstream: DisposeBase?

        /// Lets go of it wherever it is held.
        func forget() {
            connection.owner?.forget(connection)
            connection.bag.close()?.leave(connection)
        }

        func finish() {
            forget()
            upstream?.dispose()
        }
    }
}

/// The generation of a client's own connectable. What that does when it is connected again while its connection is being
/// disposed on another thread is its own affair.
final class ForeignGeneration<Connectable: ConnectableObservableType>: Generation, Sendable {
    private let connectable: Connectable
    let connection = Connection(owner: nil)

    init(_ connectable: Connectable) {
        self.connectable = connectable
    }

    func join(_ stage: Stage<Connectable.Element>) { connectable.asObservable().subscribe(into: stage) }
    func connect() { connection.attach(.from(connectable.connect())) }
}
