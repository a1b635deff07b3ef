internal import Rx
internal import RxLoop

/// The incomplete long lines of one user's connections. Only a few may grow at a time, because each may need a
/// mebibyte; the other connections are not read until one of these is complete. Used on the loop.
final class LongLines {
    /// Lines of one user that may grow at a time.
    static let most = 8

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
    private var waiting = Queue<any Owner>()
    /// Owners in `waiting` whose lines have not ended.
    private var paused: Set<ObjectIdentifier> = []

    /// - Parameter patience: how long a line may take if others wait for it.
    init(patience: Duration, loop: EventLoop) {
        self.patience = patience
        self.loop = loop
    }

    /// Lines that may grow or wait.
    var count: Int { growing.count + paused.count }

    /// A line of `owner` has become long.
    func begin(_ owner: any Owner) {
        guard growing.count >= Self.most else { return grow(owner) }
        paused.insert(ObjectIdentifier(owner))
        waiting.append(owner)
        owner.pauseLongLine()
    }

    /// The line of `owner` is complete, or the connection is closed. Does nothing for an owner without a long line.
    func end(_ owner: any Owner) {
        if paused.remove(ObjectIdentifier(owner)) != nil { return }
        guard let ended = growing.removeValue(forKey: ObjectIdentifier(owner)) else { return }
        ended.timer.cancel()
        while growing.count < Self.most, let next = waiting.removeFirst() {
            guard paused.remove(ObjectIdentifier(next)) != nil else { continue }
            grow(next)
            next.resumeLongLine()
        }
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
