/// The bytes that wait for the peers of each user, on all of the user's connections together.
final class WaitingBytes {
    private let limit: Int
    /// Users without any are absent.
    private var byUser: [UInt32: Int] = [:]

    /// - Parameter limit: most bytes that may wait for one user.
    init(limit: Int) {
        self.limit = limit
    }

    /// Adds a change in the bytes that wait for one peer to its user's sum.
    ///
    /// - Returns: whether more wait for the user now than may.
    func add(_ change: Int, of uid: UInt32) -> Bool {
        let bytes = byUser[uid, default: 0] + change
        byUser[uid] = bytes == 0 ? nil : bytes
        return bytes > limit
    }
}
