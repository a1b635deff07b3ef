// Sendable: everything here belongs to the loop's thread; the reference itself may travel.
/// The base of everything with a descriptor that an event loop serves: sockets, listeners, watches.
///
/// A subclass calls `register` once it is complete and `unregister` before it closes the descriptor. In between, the
/// loop retains it and calls `ready` on the loop's thread.
open class LoopSource: LoopJob, @unchecked Sendable {
    /// The loop that serves the source.
    public let loop: EventLoop
    /// The share of the loop's time in which the source is served; the loop's own unless set.
    @exclusivity(unchecked) public final var share: LoopShare
    private var registration: Registration?
    /// The events that `ready` is called for.
    final private(set) var requestedInterest: Interest = []

    /// What the descriptor was ready for when the loop last waited.
    private var readiness: Readiness = []
    private var isAttended = false
    private var isWaiting = false

    private struct Registration {
        let fd: Int32
        let key: UInt64
    }

    package init(loop: EventLoop) {
        self.loop = loop
        share = loop.ownShare
        super.init()
    }

    /// Called when the descriptor is ready for something that is registered, or has hung up.
    open func ready(_ readiness: Readiness) {}

    /// Called once after a call of `EventLoop.attend`, when it is the source's turn.
    open func attended() {}

    // MARK: Its turn

    /// Remembers what the descriptor is ready for, and puts the source into its share.
    final func enqueue(_ readiness: Readiness) {
        self.readiness.formUnion(readiness)
        wait()
    }

    /// Puts the source into its share, to be attended.
    final func enqueueAttended() {
        isAttended = true
        wait()
    }

    private func wait() {
        guard !isWaiting else { return }
        isWaiting = true
        share.append(self)
        loop.ring.insert(share)
    }

    override final func serve() {
        isWaiting = false
        let readiness = readiness.intersection(Readiness(requestedInterest).union(.hangUp))
        self.readiness = []
        if isAttended {
            isAttended = false
            attended()
        }
        // Not if the descriptor was closed in the meantime.
        if !readiness.isEmpty, registration != nil { ready(readiness) }
    }

    /// Adds `fd` to the loop's descriptors.
    ///
    /// - Throws: EPERM for a descriptor that never blocks, such as a regular file.
    package final func register(_ fd: Int32, _ interest: Interest) throws(SystemCallError) {
        let key = loop.table.insert(self)
        let answer = loop.kernel.add(fd, interest, key: key)
        guard answer >= 0 else {
            loop.table.remove(key)
            throw SystemCallError("epoll_ctl", errno: -answer)
        }
        registration = Registration(fd: fd, key: key)
        requestedInterest = interest
    }

    /// Changes the events that `ready` is called for. Has no effect unless registered or always ready.
    package final func setInterest(_ interest: Interest) {
        guard interest != requestedInterest else { return }
        requestedInterest = interest
        guard let registration else { return }
        loop.kernel.modify(registration.fd, interest, key: registration.key)
    }

    /// Removes the descriptor from the loop's. Closing it would not be enough: a child between fork and exec still
    /// shares the descriptor, and epoll would keep it.
    package final func unregister() {
        guard let registration else { return }
        self.registration = nil
        loop.kernel.remove(registration.fd)
        loop.table.remove(registration.key)
    }
}
