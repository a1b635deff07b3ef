/// How much one user of a queue has pending there.
// Unchecked: guarded by the queue's lock.
final class WriteShare: @unchecked Sendable {
    /// One user has at most nine times of what is left free, so that the others always find some.
    static let shareOfFree = 9

    /// The bytes of its pending writes and of those being written.
    var bytes = 0
}
