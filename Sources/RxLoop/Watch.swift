// Sendable: everything here belongs to the loop's thread; the reference itself may travel.
/// A watch on a descriptor that belongs to the caller, such as stdin, stdout, or a pipe; active until canceled.
public final class Watch: LoopSource, @unchecked Sendable {
    /// The descriptor. The watch neither closes it nor makes it non-blocking.
    public let fd: Int32
    private var handler: ((Readiness) -> Void)?

    /// The events that the handler is called for from now on.
    public var interest: Interest {
        get { requestedInterest }
        set {
            loop.checkThread()
            setInterest(newValue)
        }
    }

    init(fd: Int32, interest: Interest, loop: EventLoop, handler: @escaping (Readiness) -> Void) throws(SystemCallError)
    {
        self.fd = fd
        self.handler = handler
        super.init(loop: loop)
        do throws(SystemCallError) {
            try register(fd, interest)
        } catch {
            guard error.errno == SystemCallError.neverBlocks else { throw error }
            setInterest(interest)
            loop.alwaysReady.append(self)
        }
    }

    /// Stops the calls and releases the handler. Call this before closing the descriptor.
    public func cancel() {
        loop.checkThread()
        guard handler != nil else { return }
        handler = nil
        unregister()
        loop.alwaysReady.removeAll { $0 === self }
    }

    public override func ready(_ readiness: Readiness) {
        handler?(readiness)
        loop.spendLong()
    }
}

extension EventLoop {
    /// Calls `handler` on the loop in every turn in which `fd` is ready for an event of `interest` or has hung up,
    /// until the watch is canceled. A descriptor that never blocks (a regular file, /dev/null) is always ready. Loop
    /// thread only.
    public func watch(
        fd: Int32, _ interest: Interest, _ handler: @escaping (Readiness) -> Void
    ) throws(SystemCallError) -> Watch {
        checkThread()
        return try Watch(fd: fd, interest: interest, loop: self, handler: handler)
    }
}
