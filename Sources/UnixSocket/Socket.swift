internal import CEpoll
internal import Glibc
public import RxLoop

// Sendable: everything here belongs to the loop's thread; the reference itself may travel.
/// A connected stream socket that receives lines. The loop retains it until it is closed.
public final class Socket: LoopSource, @unchecked Sendable {
    /// The default `lineLimit`: 1 MiB.
    public static let defaultLineLimit = 1_048_576

    // Used only on the loop's thread, whose callbacks never change data being accessed, so dynamic exclusivity checks
    // are off.

    /// The peer's identity; nil if the socket is not a Unix socket.
    public let peer: PeerCredentials?
    @exclusivity(unchecked) public private(set) var isClosed = false

    /// Receives lines and events. Without a delegate, lines are dropped.
    @exclusivity(unchecked) public weak var delegate: (any SocketDelegate)? {
        didSet { isInterrupted = true }
    }

    /// The most bytes of a line, without its end. Also limits the buffer for an incomplete line.
    public var lineLimit: Int {
        get { framer.limit }
        set { framer.limit = newValue }
    }

    /// Whether an unterminated last line is received. Unset it for a peer that terminates every line: then such a line
    /// was cut off.
    @exclusivity(unchecked) public var receivesUnterminatedLine = true

    /// Whether to call `socketDidBecomeWritable`. epoll watches for it only while this is set.
    @exclusivity(unchecked) public var wantsWritable = false {
        didSet {
            loop.checkThread()
            updateInterest()
        }
    }

    @exclusivity(unchecked) private var fd: Int32
    @exclusivity(unchecked) private var framer = LineFramer(limit: defaultLineLimit)
    @exclusivity(unchecked) private var input = Input.reading
    /// An error of a write, reported in the next turn because `write` makes no callbacks.
    @exclusivity(unchecked) private var failure: SocketError?
    @exclusivity(unchecked) private var isDelivering = false
    /// Whether a callback closed or paused the socket or changed its delegate; checked before the next line.
    @exclusivity(unchecked) private var isInterrupted = false

    /// Received bytes, and bytes of a line, that cost the loop as much as what a small line costs it.
    private static let bytesPerUnit = 4096
    /// Lines delivered before the socket gives way to others.
    private static let linesPerJob = 32

    /// Bytes of an incomplete line above which the delegate is asked about it.
    private static let longLine = 16_384
    @exclusivity(unchecked) private var isLineLong = false
    /// Whether the loop does not watch the socket until reading is resumed.
    @exclusivity(unchecked) private var isGoneWhileWorking = false

    private enum Input {
        case reading
        case paused
        /// Reading was resumed; the kept lines are delivered first, in the next turn.
        case resuming
        case ended
    }

    /// Adopts a connected stream socket and closes it with this object. If this throws, the caller keeps the
    /// descriptor.
    public init(adopting fd: Int32, loop: EventLoop) throws(SocketError) {
        loop.checkThread()
        _ = try check("fcntl", cepoll_adopt(fd))
        self.fd = fd
        peer = cepoll_option(fd, SO_DOMAIN) == AF_UNIX ? try PeerCredentials(fd: fd) : nil
        super.init(loop: loop)
        try register()
    }

    /// Adopts a socket from accept or connect, which is already nonblocking and close-on-exec. Closes it if this
    /// throws.
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

    /// Connects to the listener at `path` without waiting.
    ///
    /// - Throws: ENOENT or ECONNREFUSED if nothing listens, EACCES without permission, and EAGAIN if the listener's
    ///   queue is full.
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

    /// Sends bytes with one system call and returns the number that the kernel accepted: 0 if its buffer is full or the
    /// peer is gone, which `socketDidClose` reports.
    public func write(_ bytes: UnsafeRawBufferPointer) -> Int {
        loop.checkThread()
        guard !isClosed, !bytes.isEmpty else { return 0 }
        guard failure == nil else {
            // Reading may have been paused when the failure was reported, and the delegate has kept the socket.
            loop.attend(self)
            return 0
        }
        let answer = cepoll_send(fd, bytes.baseAddress, bytes.count)
        if answer >= 0 { return answer }
        if answer != -Int(EAGAIN) {
            failure = .system(call: "send", errno: Int32(-answer))
            updateInterest()
            loop.attend(self)
        }
        return 0
    }

    /// Shuts down the sending side; the peer may still send.
    public func endOutput() {
        loop.checkThread()
        guard !isClosed else { return }
        shutdown(fd, Int32(SHUT_WR))
    }

    // MARK: Reading

    /// Stops delivering lines until `resumeReading`; received lines are kept. The peer's disconnection is still
    /// detected, and then its lines are dropped unless the delegate is working on an earlier one.
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

    /// Delivers lines again from the next turn on, kept ones first.
    public func resumeReading() {
        loop.checkThread()
        if isGoneWhileWorking {
            isGoneWhileWorking = false
            do throws(SocketError) {
                try register()
            } catch {
                return finish(error)
            }
        }
        if failure != nil { loop.attend(self) }
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

    /// Closes the socket at once. Bytes that the kernel has accepted still reach the peer. Calls `socketDidClose`
    /// before it returns.
    public func close() {
        loop.checkThread()
        finish(nil)
    }

    // MARK: From the loop

    public override func ready(_ readiness: Readiness) {
        let isGone = readiness.contains(.hangUp)
        if readiness.contains(.writable), !isGone, wantsWritable, failure == nil {
            delegate?.socketDidBecomeWritable(self)
        }
        switch input {
        case .reading where framer.mayHoldLines:
            // Lines that were kept when the socket gave way come first.
            deliver(UnsafeRawBufferPointer(start: nil, count: 0))
        case .reading:
            // The peer may have sent requests before it disconnected; deliver them first.
            if isGone || readiness.contains(.readable) { receive(isGone: isGone) }
        case .paused:
            if isGone { becomeGone(pendingError()) }
        case .ended:
            if isGone { becomeGone(pendingError()) }
        case .resuming: break
        }
    }

    /// Goes on after a failed write, after reading was resumed with kept lines, or after the socket gave way.
    public override func attended() {
        if let failure { return end(after: failure) }
        switch input {
        case .resuming:
            input = .reading
            deliver(UnsafeRawBufferPointer(start: nil, count: 0))
            updateInterest()
        case .reading where framer.mayHoldLines: deliver(UnsafeRawBufferPointer(start: nil, count: 0))
        case .reading, .paused, .ended: break
        }
    }

    /// The peer takes nothing any more; the lines that it sent before are delivered first.
    private func end(after failure: SocketError) {
        switch input {
        case .paused, .ended:
            if delegate?.socketIsWorking(self) != true { finish(failure) }
        case .reading where framer.mayHoldLines, .resuming where framer.mayHoldLines:
            input = .reading
            deliver(UnsafeRawBufferPointer(start: nil, count: 0))
            if !isClosed { loop.attend(self) }
        case .reading, .resuming:
            finish(failure)
        }
    }

    private func receive(isGone: Bool) {
        let count = cepoll_receive(fd, loop.readBuffer.baseAddress, EventLoop.readBufferSize)
        if count > 0 {
            loop.spend(count / Self.bytesPerUnit)
            deliver(UnsafeRawBufferPointer(rebasing: loop.readBuffer[..<count]))
        } else if count == 0 {
            endInput()
            if isGone, !isClosed { becomeGone(nil) }
        } else if count != -Int(EAGAIN) {
            finish(.system(call: "recv", errno: Int32(-count)))
        } else if isGone {
            finish(pendingError())
        }
    }

    /// The peer disconnected, and its last lines may not be delivered.
    private func becomeGone(_ error: SocketError?) {
        guard delegate?.socketIsWorking(self) == true else { return finish(error) }
        // Otherwise epoll would report the hang-up again and again.
        unregister()
        isGoneWhileWorking = true
    }

    private func deliver(_ received: UnsafeRawBufferPointer) {
        deliverLines(received)
        let isLong = framer.keptCount > Self.longLine && !framer.mayHoldLines && input == .reading
        guard isLong != isLineLong, !isClosed else { return }
        isLineLong = isLong
        if isLong { delegate?.socketBeganLongLine(self) } else { delegate?.socketEndedLongLine(self) }
    }

    private func deliverLines(_ received: UnsafeRawBufferPointer) {
        var chunk = received
        var target = delegate
        isDelivering = true
        isInterrupted = false
        defer { isDelivering = false }
        var count = 0
        while true {
            var cost = 1
            switch framer.next(&chunk) {
            case .line(let line):
                cost += line.count / Self.bytesPerUnit
                target?.socket(self, didReceive: line)
            case .tooLong: target?.socketLineTooLong(self)
            case .none: return
            }
            count += 1
            guard isInterrupted else {
                // The receiver has reported what it did for the line, unless it was a small request.
                guard !loop.isTurnOver(after: cost) else { return giveWay(keeping: chunk) }
                guard count >= Self.linesPerJob else { continue }
                count = 0
                guard loop.hasOthersWaiting else { continue }
                return giveWay(keeping: chunk)
            }
            isInterrupted = false
            switch input {
            case .reading: target = delegate
            case .paused, .resuming: return framer.keep(chunk)
            case .ended: return framer.clear()
            }
        }
    }

    /// Goes on when it is the socket's turn again.
    private func giveWay(keeping rest: UnsafeRawBufferPointer) {
        framer.keep(rest)
        if framer.mayHoldLines { loop.attend(self) }
    }

    private func endInput() {
        input = .ended
        updateInterest()
        isDelivering = true
        if receivesUnterminatedLine, let line = framer.end() { delegate?.socket(self, didReceive: line) }
        isDelivering = false
        framer.clear()
        // After the line, as for any other: whoever receives it may keep it for a while.
        if isLineLong, !isClosed {
            isLineLong = false
            delegate?.socketEndedLongLine(self)
        }
        if !isClosed { delegate?.socketDidEndInput(self) }
    }

    private func updateInterest() {
        guard !isClosed else { return }
        var interest: Interest = input == .reading ? .readable : []
        // A peer that takes nothing any more is reported as writable for ever.
        if wantsWritable, failure == nil { interest.insert(.writable) }
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
        // The line being delivered may be in the framer, which is then cleared after the callback.
        if !isDelivering { framer.clear() }
        delegate?.socketDidClose(self, error: error)
    }

    private func pendingError() -> SocketError? {
        let error = cepoll_option(fd, SO_ERROR)
        return error > 0 ? .system(call: "peer", errno: error) : nil
    }
}

/// Receives the events of a socket on the loop's thread. Every callback may close, pause, or write to the socket.
public protocol SocketDelegate: AnyObject {
    /// Delivers a line without its "\n" or "\r\n"; never an empty one. The bytes are valid only during the call and are
    /// followed by 64 readable bytes.
    func socket(_ socket: Socket, didReceive line: UnsafeRawBufferPointer)
    /// Reports a line longer than `lineLimit`, once. The line is skipped to its end.
    func socketLineTooLong(_ socket: Socket)
    /// Reports that a line is incomplete and long. It may grow up to `lineLimit`, unless the socket is paused.
    func socketBeganLongLine(_ socket: Socket)
    /// Reports that the long line is complete. Not called when the socket is closed before.
    func socketEndedLongLine(_ socket: Socket)
    /// Whether something that the peer requested is in progress: then a socket whose peer has disconnected stays open
    /// until `resumeReading`, and lines that were received before are delivered first.
    func socketIsWorking(_ socket: Socket) -> Bool
    /// Reports that the peer sends no more. An unterminated last line was delivered if `receivesUnterminatedLine` is
    /// set. The peer may still read.
    func socketDidEndInput(_ socket: Socket)
    /// Reports space in the send buffer, in every turn while `wantsWritable` is set.
    func socketDidBecomeWritable(_ socket: Socket)
    /// Reports the end of the socket: by `close()`, during that call, or because the peer is gone. Called once, last.
    func socketDidClose(_ socket: Socket, error: SocketError?)
}

extension SocketDelegate {
    /// False: the socket is closed as soon as the peer has disconnected.
    public func socketIsWorking(_ socket: Socket) -> Bool { false }
    /// Does nothing.
    public func socketBeganLongLine(_ socket: Socket) {}
    /// Does nothing.
    public func socketEndedLongLine(_ socket: Socket) {}
}
