internal import CEpoll
public import Glibc
public import RxLoop

// Sendable: everything here belongs to the loop's thread; the reference itself may travel.
/// Accepts connections on a Unix stream socket once `onAccept` is set. The loop retains it until it is closed.
public final class Listener: LoopSource, @unchecked Sendable {
    /// The most connections accepted per turn, so that a flood of them delays other sources only briefly.
    private static let acceptsPerTurn = 32
    /// What accepting a connection costs, in the units of `EventLoop.spend`.
    private static let unitsPerAccept = 16
    /// The pause when no descriptor is available and the spare one did not help.
    private static let rest = Duration.milliseconds(100)

    /// The path of the socket; nil for an adopted socket without one.
    public let path: String?

    /// Receives each new socket, which is read from the next turn on. Set its delegate here, or close it.
    public var onAccept: ((Socket) -> Void)? {
        didSet { updateInterest() }
    }

    /// Receives failures to accept (EMFILE, ENFILE, ENOMEM). The client was disconnected or has to wait.
    public var onError: ((SocketError) -> Void)?

    private let fd: Int32
    private var origin: Origin
    private var state = State.accepting
    /// A reserve descriptor. Closed when descriptors run out, to accept a client and disconnect it instead of leaving
    /// it unanswered.
    private var spare: Int32 = -1

    private enum Origin: ~Copyable {
        case bound(BoundSocket)
        /// The creator of the socket owns its path, if any.
        case adopted(fd: Int32)
        case closed
    }

    private enum State {
        case accepting
        case paused
        case resting(Timer)
        case closed
    }

    /// Adopts a listening Unix stream socket, such as one from systemd. If this throws, the caller keeps the
    /// descriptor.
    ///
    /// - Throws: `notAListener`, or the error of a system call.
    public init(adopting fd: Int32, loop: EventLoop) throws(SocketError) {
        loop.checkThread()
        try Self.checkIsListener(fd)
        _ = try check("fcntl", cepoll_adopt(fd))
        self.fd = fd
        origin = .adopted(fd: fd)
        path = Self.boundPath(fd)
        super.init(loop: loop)
        try register()
    }

    /// Listens at `path`, which has exactly `mode`, and belongs to `group`, from its first moment. Replaces a dead
    /// socket. Holds the lock file `PATH.lock`.
    ///
    /// - Parameters:
    ///   - path: the socket's path.
    ///   - mode: its permission bits.
    ///   - group: its gid; nil for the group of the process.
    ///   - loop: accepts the connections.
    /// - Throws: `inUse` if another socket is alive or starting there, `notASocket`, `pathTooLong`, `cannotGive`, or
    ///   the error of a system call.
    public convenience init(
        binding path: String, mode: mode_t = 0o660, group: gid_t? = nil, loop: EventLoop
    ) throws(SocketError) {
        try self.init(binding: SocketClaim(path), mode: mode, group: group, loop: loop)
    }

    /// Listens at the path of a claim, as `init(binding:mode:group:loop:)` does.
    ///
    /// - Parameters:
    ///   - claim: the right to the path, and its lock file.
    ///   - mode: the permission bits of the socket.
    ///   - group: its gid; nil for the group of the process.
    ///   - loop: accepts the connections.
    /// - Throws: the errors of `init(binding:mode:group:loop:)`.
    public init(
        binding claim: SocketClaim, mode: mode_t = 0o660, group: gid_t? = nil, loop: EventLoop
    ) throws(SocketError) {
        loop.checkThread()
        let bound = try BoundSocket(claim, mode: mode, group: group)
        path = bound.path
        fd = bound.fd
        origin = .bound(bound)
        super.init(loop: loop)
        do throws(SocketError) { try register() } catch {
            release(unlinking: true)
            throw error
        }
    }

    /// Stops accepting; new clients wait in the kernel's queue.
    public func pause() {
        loop.checkThread()
        switch state {
        case .resting(let timer):
            timer.cancel()
            state = .paused
        case .accepting: state = .paused
        case .paused, .closed: return
        }
        updateInterest()
    }

    /// Accepts connections again.
    public func resume() {
        loop.checkThread()
        switch state {
        case .paused:
            state = .accepting
            updateInterest()
        case .accepting, .resting, .closed: break
        }
    }

    /// Stops listening; accepted sockets stay open. `unlink` removes the path if this listener bound it and still owns
    /// it.
    public func close(unlink: Bool) {
        loop.checkThread()
        switch state {
        case .closed: return
        case .resting(let timer): timer.cancel()
        case .accepting, .paused: break
        }
        state = .closed
        onAccept = nil
        onError = nil
        unregister()
        release(unlinking: unlink)
    }

    // MARK: From the loop

    public override func ready(_ readiness: Readiness) {
        for _ in 0..<Self.acceptsPerTurn {
            guard case .accepting = state, let onAccept else { return }
            switch cepoll_accept(fd) {
            case let accepted where accepted >= 0:
                do throws(SocketError) {
                    onAccept(try Socket(connected: accepted, loop: loop))
                } catch { onError?(error) }
                if loop.isTurnOver(after: Self.unitsPerAccept) { return }
            case -EAGAIN: return
            case -ECONNABORTED, -EPERM, -EPROTO: continue  // this client is gone; the next one may not be
            case let failure: return lacking(.system(call: "accept4", errno: -failure))
            }
        }
    }

    private func lacking(_ error: SocketError) {
        if error.errno != EMFILE || !shed() {
            state = .resting(loop.schedule(after: Self.rest) { [weak self] in self?.wake() })
            updateInterest()
        }
        onError?(error)
    }

    /// Accepts one client with the spare descriptor and disconnects it. Returns false if another thread took the
    /// descriptor.
    private func shed() -> Bool {
        guard spare >= 0 else {
            openSpare()
            return false
        }
        Glibc.close(spare)
        spare = -1
        let client = cepoll_accept(fd)
        if client >= 0 { Glibc.close(client) }
        openSpare()
        return client >= 0
    }

    private func wake() {
        guard case .resting = state else { return }
        state = .accepting
        updateInterest()
    }

    private func openSpare() { spare = open("/dev/null", O_RDONLY | O_CLOEXEC) }

    private func register() throws(SocketError) {
        openSpare()
        do throws(SystemCallError) {
            try register(fd, [])
        } catch {
            if spare >= 0 { Glibc.close(spare) }
            throw SocketError(error)
        }
    }

    private func updateInterest() {
        let wanted =
            switch state {
            case .accepting: onAccept != nil
            case .paused, .resting, .closed: false
            }
        setInterest(wanted ? .readable : [])
    }

    private func release(unlinking: Bool) {
        var ended = Origin.closed
        swap(&ended, &origin)
        switch ended {
        case .bound(let bound): if unlinking { bound.removeFiles() }
        case .adopted(let fd): Glibc.close(fd)
        case .closed: break
        }
        if spare >= 0 { Glibc.close(spare) }
        spare = -1
    }

    private static func checkIsListener(_ fd: Int32) throws(SocketError) {
        let domain = cepoll_option(fd, SO_DOMAIN)
        guard domain >= 0 else {
            throw .notAListener(fd: fd, found: domain == -EBADF ? "not open" : "not a socket")
        }
        guard domain == AF_UNIX else { throw .notAListener(fd: fd, found: "another family than AF_UNIX") }
        guard cepoll_option(fd, SO_TYPE) == Int32(SOCK_STREAM.rawValue) else {
            throw .notAListener(fd: fd, found: "not of type SOCK_STREAM")
        }
        guard cepoll_option(fd, SO_ACCEPTCONN) == 1 else { throw .notAListener(fd: fd, found: "not listening") }
    }

    private static func boundPath(_ fd: Int32) -> String? {
        let limit = Int(cepoll_path_limit()) + 1
        return withUnsafeTemporaryAllocation(of: CChar.self, capacity: limit) { buffer in
            let length = cepoll_bound_path(fd, buffer.baseAddress, limit)
            guard length > 0 else { return nil }
            return String(decoding: buffer[..<Int(length)].lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }
}
