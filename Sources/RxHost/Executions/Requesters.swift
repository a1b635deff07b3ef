/// The requesters of one execution. Used with the event log's lock held.
///
/// A requester with a token can withdraw; one without never does, and detaches the execution from all of them.
struct Requesters {
    /// The tokens of the requesters that can withdraw.
    private(set) var tokens: Set<UInt64>
    /// Whether one of them never withdraws.
    private var isDetached: Bool
    /// Whether a second request takes part in the execution.
    private(set) var isJoined = false

    /// - Parameter token: of the first requester; nil if it never withdraws.
    init(_ token: UInt64?) {
        tokens = token.map { [$0] } ?? []
        isDetached = token == nil
    }

    /// A further request joins the execution, which may have ended.
    mutating func join() { isJoined = true }

    /// Adds the requester of a further request to an execution in flight.
    mutating func add(_ token: UInt64?) {
        if let token { tokens.insert(token) } else { isDetached = true }
    }

    /// - Returns: whether nobody needs the execution any more.
    mutating func withdraw(_ token: UInt64) -> Bool {
        guard tokens.remove(token) != nil else { return false }
        return tokens.isEmpty && !isDetached
    }
}
