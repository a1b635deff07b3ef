/// The requests of a connection that wait for their replies.
struct PendingCalls {
    struct Call {
        let completion: (Connection.Reply) -> Void
        /// The stream that the request opens, if it opens one.
        let stream: String?
    }

    private var lastID = 0
    private var calls: [Int: Call] = [:]

    var isEmpty: Bool { calls.isEmpty }

    /// Adds a call under a fresh id.
    mutating func add(_ call: Call) -> Connection.PendingCall {
        lastID += 1
        calls[lastID] = call
        return Connection.PendingCall(id: lastID)
    }

    func contains(_ id: Int) -> Bool { calls[id] != nil }

    /// Removes the call with this id; nil if its reply has come already.
    mutating func take(_ id: Int) -> Call? { calls.removeValue(forKey: id) }

    /// Removes all calls, in the order in which they were made.
    mutating func takeAll() -> [Call] {
        defer { calls = [:] }
        return calls.sorted { $0.key < $1.key }.map(\.value)
    }
}
