internal import Rx
internal import RxHost
internal import RxJSON

/// Requests for an engine, from any thread.
final class EngineMailbox: Sendable {
    /// The most elements that may wait, and the most bytes of several elements: as many as for a stream.
    static let mostElements = 10_000
    static let mostElementBytes = 16 << 20

    fileprivate struct Contents {
        var requests: [EngineRequest] = []
        var elements = 0
        var elementBytes = 0
        var lost = 0
        /// For each merge of another reactor, the latest state that the engine has not taken yet.
        var states: [Int: RawJSON] = [:]
        /// Called by the engine to show that it makes progress.
        var probes: [@Sendable () -> Void] = []
        var isAsleep = false
        var isClosed = false
    }

    private let contents = Locked(Contents())
    private let wake: @Sendable () -> Void

    /// - Parameter wake: called once for the first request after `fallAsleep`, on the thread that posts it.
    init(wake: @escaping @Sendable () -> Void) {
        self.wake = wake
    }

    /// Adds a request. Drops and counts an element for which there is no room. Returns false after `close`.
    @discardableResult
    func post(_ request: EngineRequest) -> Bool {
        let (isTaken, wakes) = contents.withLock { contents -> (Bool, Bool) in
            guard !contents.isClosed else { return (false, false) }
            if let bytes = request.elementBytes {
                guard contents.hasRoom(for: bytes) else {
                    contents.lost += 1
                    return (true, false)
                }
                contents.elements += 1
                contents.elementBytes += bytes
            }
            contents.requests.append(request)
            return (true, contents.wake())
        }
        if wakes { wake() }
        return isTaken
    }

    /// Stores the state of a merge, replacing one that the engine has not taken yet.
    func post(state: RawJSON, merge: Int) {
        let wakes = contents.withLock { contents -> Bool in
            guard !contents.isClosed else { return false }
            if contents.states.updateValue(state, forKey: merge) != nil { return false }
            contents.requests.append(.state(merge: merge, nil))
            return contents.wake()
        }
        if wakes { wake() }
    }

    /// Has the engine call `answer` in its next turn; calls it at once after `close`.
    func probe(_ answer: @escaping @Sendable () -> Void) {
        let (isTaken, wakes) = contents.withLock { contents -> (Bool, Bool) in
            guard !contents.isClosed else { return (false, false) }
            contents.probes.append(answer)
            return (true, contents.wake())
        }
        if wakes { wake() }
        if !isTaken { answer() }
    }

    // MARK: For the engine

    /// Makes the calls that `probe` asked for.
    func answerProbes() {
        let probes = contents.withLock { contents in
            defer { contents.probes = [] }
            return contents.probes
        }
        for answer in probes { answer() }
    }

    /// Takes all requests and the number of lost elements.
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

    /// Records that one of the taken elements, of so many bytes, has been reduced.
    func elementIsDone(bytes: Int) {
        contents.withLock { contents in
            contents.elements -= 1
            contents.elementBytes -= bytes
        }
    }

    /// Returns whether there is nothing to do; if so, the next request calls `wake`.
    func fallAsleep() -> Bool {
        contents.withLock { contents in
            contents.isAsleep = contents.requests.isEmpty && contents.probes.isEmpty
            return contents.isAsleep
        }
    }

    /// Ends the effect of `fallAsleep`.
    func wakeUp() {
        contents.withLock { $0.isAsleep = false }
    }

    /// Closes the mailbox and returns its remaining requests.
    func close() -> [EngineRequest] {
        contents.withLock { contents in
            contents.isClosed = true
            defer { contents.requests = [] }
            return contents.requests
        }
    }
}

extension EngineMailbox.Contents {
    fileprivate func hasRoom(for bytes: Int) -> Bool {
        elements == 0
            || elements < EngineMailbox.mostElements && elementBytes + bytes <= EngineMailbox.mostElementBytes
    }

    fileprivate mutating func wake() -> Bool {
        defer { isAsleep = false }
        return isAsleep
    }
}
