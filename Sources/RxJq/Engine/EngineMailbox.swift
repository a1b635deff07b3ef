internal import Glibc
internal import Rx
internal import RxHost
internal import RxJSON

/// Requests on their way to an engine's thread, and a pair of sockets that wakes it.
final class EngineMailbox: Sendable {
    /// Elements that may wait: what a burst of lines is, and some megabytes at most where each is a line.
    static let mostElements = 10_000

    fileprivate struct Contents {
        var requests: [EngineRequest] = []
        var elements = 0
        var lost = 0
        /// Of each merge of another reactor's, the state that is not taken yet.
        var states: [Int: RawJSON] = [:]
        var isAsleep = false
        var isClosed = false
    }

    private let contents = Locked(Contents())
    /// To be polled by the engine's thread.
    let readEnd: Int32
    private let writeEnd: Int32

    init() {
        var ends: (Int32, Int32) = (-1, -1)
        let failure = withUnsafeMutableBytes(of: &ends) {
            socketpair(
                AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0,
                $0.assumingMemoryBound(to: Int32.self).baseAddress)
        }
        precondition(failure == 0, "socketpair: errno \(errno)")
        (readEnd, writeEnd) = ends
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// False once it is closed. An element beyond `mostElements` is lost, and counted.
    @discardableResult
    func post(_ request: EngineRequest) -> Bool {
        let (isTaken, wakes) = contents.withLock { contents -> (Bool, Bool) in
            guard !contents.isClosed else { return (false, false) }
            if request.isElement {
                guard contents.elements < Self.mostElements else {
                    contents.lost += 1
                    return (true, false)
                }
                contents.elements += 1
            }
            contents.requests.append(request)
            return (true, contents.wake())
        }
        if wakes { wake() }
        return isTaken
    }

    /// In the place of a state of the same merge that was not taken yet.
    func post(state: RawJSON, merge: Int) {
        let wakes = contents.withLock { contents -> Bool in
            guard !contents.isClosed else { return false }
            if contents.states.updateValue(state, forKey: merge) != nil { return false }
            contents.requests.append(.state(merge: merge, nil))
            return contents.wake()
        }
        if wakes { wake() }
    }

    // MARK: For the engine's thread

    /// What has come, and how many elements were lost.
    func take() -> (requests: [EngineRequest], lost: Int) {
        contents.withLock { contents in
            defer {
                contents.requests = []
                contents.lost = 0
            }
            return (contents.requests, contents.lost)
        }
    }

    func takeState(merge: Int) -> RawJSON? {
        contents.withLock { $0.states.removeValue(forKey: merge) }
    }

    /// One of the elements that were taken has been reduced.
    func elementIsDone() {
        contents.withLock { $0.elements -= 1 }
    }

    /// Whether the thread may wait: from now on it is woken.
    func fallAsleep() -> Bool {
        contents.withLock { contents in
            contents.isAsleep = contents.requests.isEmpty
            return contents.isAsleep
        }
    }

    func wakeUp() {
        contents.withLock { $0.isAsleep = false }
        var bytes: (UInt64, UInt64) = (0, 0)
        _ = read(readEnd, &bytes, 16)
    }

    /// Takes nothing more.
    func close() -> [EngineRequest] {
        contents.withLock { contents in
            contents.isClosed = true
            defer { contents.requests = [] }
            return contents.requests
        }
    }

    private func wake() {
        var byte: UInt8 = 1
        _ = write(writeEnd, &byte, 1)
    }

    private func close(_ descriptor: Int32) { _ = Glibc.close(descriptor) }
}

extension EngineMailbox.Contents {
    fileprivate mutating func wake() -> Bool {
        defer { isAsleep = false }
        return isAsleep
    }
}
