internal import CEpoll
internal import Glibc
public import RxLoop

/// A connected stream socket that receives lines. It lives, whoever else holds it, until it is closed.
// Sendable: everything here belongs to the loop's thread; the reference itself may travel.
public final class Socket: LoopSource, @unchecked Sendable {
    public static let defaultLineLimit = 1_048_576

    /// nil when the kernel does not know: no Unix socket.
    public let peer: PeerCredentials?
    public private(set) var isClosed = false

    /// Without a delegate lines are dropped.
    public weak var delegate: (any SocketDelegate)? {
        didSet { isInterrupted = true }
    }

    /// Bytes a line may have, without its end. What is kept of a half line never exceeds it.
    public var lineLimit: Int {
        get { framer.limit }
        set { framer.limit = newValue }
    }

    /// Whether `socketDidBecomeWritable` is wanted. The kernel is asked only while it is.
    public var wantsWritable = false {
        didSet {
            loop.checkThread()
            updateInterest()
        }
    }

    private var fd: Int32
    // On the loop alone, whose callbacks never change what is being looked at: hence no dynamic checks of overlapping
    // accesses.

    @exclusivity(unchecked) private var framer = LineFramer(limit: defaultLineLimit)
    @exclusivity(unchecked) private var input = Input.reading
    /// Found while writing; told at the next turn, because `write` calls nobody.
    @exclusivity(unchecked) private var failure: SocketError?
    @exclusivity(unchecked) private var isDelivering = false
    /// A callback closed or paused the socket, or changed its delegate: look again before the next line.
    @exclusivity(unchecked) private var isInterrupted = false

    private enum Input {
        case reading
        case paused
        /// Wanted again, but lines kept while paused come first, in the next turn.
        case resuming
        case ended
    }

    /// Takes over a connected stream socket; it is closed with this object, and stays the caller's when this throws.
    public init(adopting fd: Int32, loop: EventLoop) throws(SocketError) {
        loop.checkThread()
        _ = try check("fcntl", cepoll_adopt(fd))
        self.fd = fd
        peer = cepoll_option(fd, SO_DOMAIN) == AF_UNIX ? try PeerCredentials(fd: fd) : nil
        super.init(loop: loop)
        try register()
    }

    /// A socket fresh from accept or connect, which is non-blocking and close-on-exec already. Closes it when it throws.
    init(connected fd: Int32, loop: EventLoop) throws(SocketError) {
        self.fd = fd
        do throws(SocketError) {
            peer = try PeerCredentials(fd: fd)
        } catch {
            Glibc.close(fd)
            throw error
        }
        super.init(loop: loop)
        do throws(SocketError) {
            try register()
        } catch {
            Glibc.close(fd)
            throw error
        }
    }

    /// Connects to the listener at `path`. Fails with ENOENT or ECONNREFUSED where nobody listens, EACCES without the right to, and
    /// EAGAIN when the listener's queue is full. Never waits.
    public static func connect(path: String, loop: EventLoop) throws(SocketError) -> Socket {
        loop.checkThread()
        let address = try SocketPath(path)
        let fd = try SocketPath.makeSocket()
        let answer = address.connect(fd)
        guard answer >= 0 else {
            Glibc.close(fd)
            throw .file(call: "connect", path: path, errno: -answer)
        }
        return try Socket(connected: fd, loop: loop)
    }

    private func register() throws(SocketError) {
        do throws(SystemCallError) {
            try register(fd, .readable)
        } catch {
            throw SocketError(error)
        }
    }

    // MARK: Writing

    /// Hands bytes to the kernel, once, and answers how many it took: 0 when there is no room, or nobody to read them, which
    /// `socketDidClose` then tells.
    public func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        loop.checkThread()
        guard !isClosed, failure == nil, !bytes.isEmpty else { return 0 }
        let answer = cepoll_send(fd, bytes.baseAddress, bytes.count)
        if answer >= 0 { return answer }
        if answer != -Int(EAGAIN) {
            failure = .system(call: "send", errno: Int32(-answer))
            loop.attend(self)
        }
        return 0
    }

    /// Tells the peer that no more comes; it may still answer.
    public func endOutput() {
        loop.checkThread()
        guard !isClosed else { return }
        shutdown(fd, Int32(SHUT_WR))
    }

    // MARK: Reading

    /// No more lines until `resumeReading`, not even those received already, which are kept. That the peer is gone is noticed all the
    /// same, and what it sent is then dropped.
    public func pauseReading() {
        loop.checkThread()
        switch input {
        case .reading, .resuming:
            input = .paused
            isInterrupted = true
            updateInterest()
        case .paused, .ended: break
        }
    }

    /// Lines come again, from the next turn on, those kept first.
    public func resumeReading() {
        loop.checkThread()
        switch input {
        case .paused where framer.mayHoldLines:
            input = .resuming
            loop.attend(self)
        case .paused:
            input = .reading
            updateInterest()
        case .reading, .resuming, .ended: break
        }
    }

    /// Closes at once; what the kernel has taken is still delivered to the peer. The delegate hears of it within this call.
    public func close() {
        loop.checkThread()
        finish(nil)
    }

    // MARK: From the loop

    public override func ready(_ readiness: Readiness) {
        let isGone = readiness.contains(.hangUp)
        if readiness.contains(.writable), !isGone, wantsWritable {
            delegate?.socketDidBecomeWritable(self)
        }
        switch input {
        case .reading:
            // A peer that is gone may have left requests: they come before its end.
            if isGone || readiness.contains(.readable) { receive(isGone: isGone) }
        case .paused, .ended:
            if isGone { finish(pendingError()) }
        case .resuming: break
        }
    }

    /// The turn after a failed write, or after reading was resumed with lines kept.
    public override func attended() {
        if let failure { return finish(failure) }
        guard input == .resuming else { return }
        input = .reading
        deliver(UnsafeRawBufferPointer(start: nil, count: 0))
        updateInterest()
    }

    private func receive(isGone: Bool) {
        let count = cepoll_receive(fd, loop.readBuffer.baseAddress, EventLoop.readBufferSize)
        if count > 0 {
            deliver(UnsafeRawBufferPointer(rebasing: loop.readBuffer[..<count]))
        } else if count == 0 {
            endInput()
            if isGone { finish(nil) }
        } else if count != -Int(EAGAIN) {
            finish(.system(call: "recv", errno: Int32(-count)))
        } else if isGone {
            finish(pendingError())
        }
    }

    private func deliver(_ received: UnsafeRawBufferPointer) {
        var chunk = received
        var target = delegate
        isDelivering = true
        isInterrupted = false
        defer { isDelivering = false }
        while true {
            switch framer.next(&chunk) {
            case .line(let line): target?.socket(self, didReceive: line)
            case .tooLong: target?.socketLineTooLong(self)
            case .none: return
            }
            guard isInterrupted else { continue }
            isInterrupted = false
            switch input {
            case .reading: target = delegate
            case .paused, .resuming: return framer.keep(chunk)
            case .ended: return framer.clear()
            }
        }
    }

    private func endInput() {
        input = .ended
        updateInterest()
        isDelivering = true
        if let line = framer.end() { delegate?.socket(self, didReceive: line) }
        isDelivering = false
        framer.clear()
        if !isClosed { delegate?.socketDidEndInput(self) }
    }

    private func updateInterest() {
        guard !isClosed else { return }
        var interest: Interest = input == .reading ? .readable : []
        if wantsWritable { interest.insert(.writable) }
        setInterest(interest)
    }

    private func finish(_ error: SocketError?) {
        guard !isClosed else { return }
        isClosed = true
        input = .ended
        isInterrupted = true
        unregister()
        Glibc.close(fd)
        fd = -1
        // The line being delivered may lie in the framer: it is cleared after the callback then.
        if !isDelivering { framer.clear() }
        delegate?.socketDidClose(self, error: error)
    }

    private func pendingError() -> SocketError? {
        let error = cepoll_option(fd, SO_ERROR)
        return error > 0 ? .system(call: "peer", errno: error) : nil
    }
}
