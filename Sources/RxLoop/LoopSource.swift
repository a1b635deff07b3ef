// Sendable: everything here belongs to the loop's thread; the reference itself may travel.
/// The base of everything with a descriptor that an event loop serves: sockets, listeners, watches.
///
/// A subclass calls `register` once it is complete and `unregister` before it closes the descriptor. In between, the
/// loop retains it and calls `ready` on the loop's thread.
open class LoopSource: @unchecked Sendable {
    /// The loop that serves the source.
    public let loop: EventLoop
    private var registration: Registration?
    /// The events that `ready` is called for.
    final private(set) var requestedInterest: Interest = []

    private struct Registration {
        let fd: Int32
        let key: UInt64
    }

    package init(loop: EventLoop) {
        self.loop = loop
    }

    /// Called in every turn in which the descriptor is ready for something that is registered, or has hung up.
    open func ready(_ readiness: Readiness) {}

    /// Called in the turn after a call of `EventLoop.attend`.
    open func attended() {}

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
