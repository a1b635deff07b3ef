internal import Glibc
internal import RxClient
internal import RxLoop

/// The attempts to reach a daemon for the first time, for as long as `--wait` allows.
struct DaemonSearch {
    enum Step {
        case found(Link)
        /// Time until the next attempt.
        case wait(Duration)
        case failed(ClientError)
    }

    /// A daemon that is started takes some milliseconds, so the pauses are short.
    private static let pace = Reconnecting(first: .milliseconds(5), longest: .milliseconds(200))

    private let socket: String?
    private let loop: EventLoop
    private let reconnecting: Reconnecting?
    private let deadline: ContinuousClock.Instant?
    private var failures = 0

    init(_ options: GlobalOptions, _ loop: EventLoop, _ reconnecting: Reconnecting?) {
        socket = options.socket
        self.loop = loop
        self.reconnecting = reconnecting.map { policy in
            var policy = policy
            // The first request waits as long for the next daemon if this one ends before it has answered.
            policy.patience = max(policy.patience, options.wait?.duration ?? .zero)
            return policy
        }
        deadline = options.wait.map { ContinuousClock.now + $0.duration }
    }

    mutating func attempt() -> Step {
        do {
            // The path is resolved for each connection: a user's own socket may appear meanwhile.
            return .found(
                try Link(path: { [socket] in SocketPath.resolve(option: socket) }, loop: loop, policy: reconnecting))
        } catch {
            return error.isTemporary ? lost(error) : .failed(error)
        }
    }

    /// Whether a daemon has to answer before it counts as found.
    var asksFirst: Bool { deadline != nil && reconnecting == nil }

    /// The daemon is gone, or is not there yet: what to do next.
    mutating func lost(_ error: ClientError) -> Step {
        let left = deadline.map { $0 - .now } ?? .zero
        guard left > .zero else { return .failed(error) }
        defer { failures += 1 }
        return .wait(min(DaemonSearch.pace.delay(after: failures), left))
    }
}

extension ClientError {
    /// Whether a daemon that is starting explains it: no socket yet, no listener yet, or a full backlog.
    fileprivate var isTemporary: Bool {
        guard case .unreachable(_, let errno) = self else { return false }
        return [ENOENT, ECONNREFUSED, EAGAIN].contains(errno)
    }
}
