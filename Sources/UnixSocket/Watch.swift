internal import CEpoll
internal import Glibc

/// What a watch wants to hear. A hang-up is always told, so `[]` means: nothing but that.
public struct Interest: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let readable = Interest(rawValue: 1)
    public static let writable = Interest(rawValue: 2)
    public static let hangUp: Interest = []

    var events: UInt32 { (contains(.readable) ? cepoll_in : 0) | (contains(.writable) ? cepoll_out : 0) }
}

/// What a descriptor is ready for. `hangUp`: the other end is gone or the descriptor failed.
public struct Readiness: OptionSet, Sendable {
    public let rawValue: UInt8
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let readable = Readiness(rawValue: 1)
    public static let writable = Readiness(rawValue: 2)
    public static let hangUp = Readiness(rawValue: 4)

    init(_ interest: Interest) { self.init(rawValue: interest.rawValue) }

    init(events: UInt32) {
        self = []
        if events & cepoll_in != 0 { insert(.readable) }
        if events & cepoll_out != 0 { insert(.writable) }
        if events & cepoll_gone != 0 { insert(.hangUp) }
    }
}

/// A descriptor of the caller's, watched until cancelled: stdin, stdout, a pipe.
// Sendable: everything here belongs to the loop's thread; the reference itself may travel.
public final class Watch: @unchecked Sendable {
    /// The descriptor, which stays the caller's: not closed, and left blocking or not as it was.
    public let fd: Int32
    private let loop: EventLoop
    private var registration: Registration
    private var handler: ((Readiness) -> Void)?

    private enum Registration {
        case epoll(key: UInt64)
        case alwaysReady
        case cancelled
    }

    /// What the handler is called for from now on.
    public var interest: Interest {
        didSet {
            loop.checkThread()
            guard case .epoll(let key) = registration, interest != oldValue else { return }
            _ = cepoll_modify(loop.epoll, fd, interest.events, key)
        }
    }

    init(fd: Int32, interest: Interest, loop: EventLoop, handler: @escaping (Readiness) -> Void) throws(SocketError) {
        self.fd = fd
        self.loop = loop
        self.interest = interest
        self.handler = handler
        registration = .cancelled
        let key = loop.table.insert(.watch(self))
        switch cepoll_add(loop.epoll, fd, interest.events, key) {
        case -EPERM:
            loop.table.remove(key)
            loop.alwaysReady.append(self)
            registration = .alwaysReady
        case let answer where answer < 0:
            loop.table.remove(key)
            throw .system(call: "epoll_ctl", errno: -answer)
        default:
            registration = .epoll(key: key)
        }
    }

    /// The handler is not called any more and is released. To be done before the descriptor is closed.
    public func cancel() {
        loop.checkThread()
        switch registration {
        case .epoll(let key):
            _ = cepoll_remove(loop.epoll, fd)
            loop.table.remove(key)
        case .alwaysReady:
            loop.alwaysReady.removeAll { $0 === self }
        case .cancelled:
            return
        }
        registration = .cancelled
        handler = nil
    }

    func ready(_ readiness: Readiness) {
        handler?(readiness)
    }
}

extension EventLoop {
    /// Calls `handler` on the loop in every turn in which `fd` is ready for something of `interest` or has hung up, until the
    /// watch is cancelled. What never blocks (a regular file, /dev/null) is always ready. Loop thread only.
    public func watch(
        fd: Int32, _ interest: Interest, _ handler: @escaping (Readiness) -> Void
    ) throws(SocketError) -> Watch {
        checkThread()
        return try Watch(fd: fd, interest: interest, loop: self, handler: handler)
    }
}
