/// One subscription to a source and its distribution to several subscribers. Created by the first subscriber or the
/// first `connect()`; ends when the source ends or the connection is disposed.
///
/// Ownership, such that an end or a disposal breaks every cycle: the connectable holds its current generation, the
/// source holds the feed of the subject, and the subscribers hold the connection.
protocol Generation<Output>: AnyObject, Sendable {
    associatedtype Output: RxSendable

    var connection: Connection { get }

    /// Subscribes `stage`, which gets events once connected.
    func join(_ stage: Stage<Output>)

    /// Subscribes to the source; only the first call has an effect.
    func connect()
}

/// The holder of a current object that can end.
protocol Owner: AnyObject, Sendable {
    /// Releases the ended `object`, which may no longer be the current one.
    func forget(_ object: AnyObject)
}

/// The result of `connect()`, which stops the source for all subscribers.
final class Connection: DisposeBase, Cancelable, @unchecked Sendable {
    // Unchecked: its state is atomic, and `owner` is immutable.
    private let slot = DisposableSlot()
    fileprivate let bag = BagSlot()
    fileprivate weak let owner: (any Owner)?

    init(owner: (any Owner)?) {
        self.owner = owner
        super.init()
    }

    var isDisposed: Bool { slot.isDisposed }

    override func keep(in bag: BagMembers) -> Bool { self.bag.set(bag) }

    func attach(_ upstream: DisposeBase) {
        precondition(slot.set(upstream), "a connection has one upstream")
    }

    override func dispose() { close()?.finish() }

    /// Ends the connection; nil if it has already ended. An atomic step without callouts, so it can be part of a larger
    /// step.
    func close() -> Closed? {
        slot.close().map { Closed(connection: self, upstream: $0) }
    }

    /// The remaining work after the end of a connection.
    struct Closed {
        fileprivate let connection: Connection
        let upstream: DisposeBase?

        /// Releases the connection from all its holders.
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

/// The generation of a client's connectable type. That type itself handles a reconnection while another thread disposes
/// its connection.
final class ForeignGeneration<Connectable: ConnectableObservableType>: Generation, Sendable {
    private let connectable: Connectable
    let connection = Connection(owner: nil)

    init(_ connectable: Connectable) {
        self.connectable = connectable
    }

    func join(_ stage: Stage<Connectable.Element>) { connectable.asObservable().subscribe(into: stage) }
    func connect() { connection.attach(.from(connectable.connect())) }
}
