internal import Rx
internal import RxLoop

/// The incomplete long lines of one user's connections. Only a few may grow at a time, because each may need a
/// mebibyte; the other connections are not read until one of these is complete. Used on the loop.
final class LongLines {
    /// Lines of one user that may grow at a time.
    static let most = 4

    /// A connection with an incomplete long line.
    protocol Owner: AnyObject {
        /// Receives nothing until `resumeLongLine`.
        func pauseLongLine()
        func resumeLongLine()
        /// The line was not completed in time, and others wait.
        func refuseLongLine()
    }

    private let patience: Duration
    private let loop: EventLoop
    private var growing: [ObjectIdentifier: (owner: any Owner, timer: Timer)] = [:]
    /// Owners whose lines wait, and the order in which they do; those that are closed are in the order only.
    private var paused: [ObjectIdentifier: any Owner] = [:]
    private var order = Queue<ObjectIdentifier>()
    /// Closed owners that the order may have, beyond as many as wait.
    private static let closedKept = 64

    /// - Parameter patience: how long a line may take if others wait for it.
    init(patience: Duration, loop: EventLoop) {
        self.patience = patience
        self.loop = loop
    }

    /// Lines that may grow or wait.
    var count: Int { growing.count + paused.count }

    /// Entries of the order, for tests.
    var orderCount: Int { order.count }

    /// Whether the line of `owner` waits.
    func isWaiting(_ owner: any Owner) -> Bool { paused[ObjectIdentifier(owner)] != nil }

    /// A line of `owner` has become long.
    func begin(_ owner: any Owner) {
        guard growing.count >= Self.most else { return grow(owner) }
        paused[ObjectIdentifier(owner)] = owner
        order.append(ObjectIdentifier(owner))
        owner.pauseLongLine()
    }

    /// The line of `owner` is complete and is kept for now: others do not end its wait. Does nothing for an owner whose
    /// line does not grow.
    func complete(_ owner: any Owner) {
        growing[ObjectIdentifier(owner)]?.timer.cancel()
    }

    /// The line of `owner` is not kept any more, or the connection is closed. Does nothing for an owner without a long
    /// line.
    func end(_ owner: any Owner) {
        if paused.removeValue(forKey: ObjectIdentifier(owner)) != nil { return forgetClosed() }
        guard let ended = growing.removeValue(forKey: ObjectIdentifier(owner)) else { return }
        ended.timer.cancel()
        while growing.count < Self.most, let id = order.removeFirst() {
            guard let next = paused.removeValue(forKey: id) else { continue }
            grow(next)
            next.resumeLongLine()
        }
    }

    /// Connections may come and go while no line is completed.
    private func forgetClosed() {
        guard order.count > 2 * paused.count + Self.closedKept else { return }
        var kept = Queue<ObjectIdentifier>()
        for id in order.removeAll() where paused[id] != nil { kept.append(id) }
        order = kept
    }

    private func grow(_ owner: any Owner) {
        growing[ObjectIdentifier(owner)] = (owner, schedule(owner))
    }

    private func schedule(_ owner: any Owner) -> Timer {
        loop.schedule(after: patience) { [self] in
            if paused.isEmpty {
                growing[ObjectIdentifier(owner)]?.timer = schedule(owner)
            } else {
                owner.refuseLongLine()
            }
        }
    }
}
