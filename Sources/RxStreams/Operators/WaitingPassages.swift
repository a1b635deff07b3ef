internal import Rx

/// The elements that wait for an executing step, in all of its groups, by the users who have sent them.
///
/// Of more than there is room for, the oldest go of the user who has most there: nobody pushes out what others have
/// sent.
// Unchecked: belongs to the stream's turn.
final class WaitingPassages: @unchecked Sendable {
    /// What one user has sent, or, without a user, everything else.
    private struct Share {
        let user: ObjectIdentifier?
        let passages = PassageQueue()
    }

    /// Few: only of users that have something here.
    private var shares: [Share] = []

    func append(_ passage: Passage) {
        if let place = place(of: passage) { return shares[place].passages.append(passage) }
        let share = Share(user: passage.user)
        share.passages.append(passage)
        shares.append(share)
    }

    /// A passage that was appended does not wait any more.
    func noteEnd(of passage: Passage) {
        guard let place = place(of: passage) else { return }
        shares[place].passages.noteEnd(of: passage)
        // One stays, with its memory.
        if shares[place].passages.count == 0, shares.count > 1 { shares.remove(at: place) }
    }

    private func place(of passage: Passage) -> Int? { shares.firstIndex { $0.user == passage.user } }

    /// The oldest passage of the user with most elements, or with most bytes.
    func oldestOfMost(byBytes: Bool) -> Passage? {
        let most = shares.indices.max { one, other in
            let (one, other) = (shares[one].passages, shares[other].passages)
            return byBytes ? one.bytes < other.bytes : one.count < other.count
        }
        return most.flatMap { shares[$0].passages.first }
    }
}

/// Passages in order. Those that do not wait any more are removed once they are at the front, or are most of the queue.
// Unchecked: belongs to the stream's turn.
final class PassageQueue: @unchecked Sendable {
    private var entries = Queue<Passage>()
    /// How many wait.
    private(set) var count = 0
    /// The bytes of those that wait.
    private(set) var bytes = 0

    func append(_ passage: Passage) {
        entries.append(passage)
        count += 1
        bytes += passage.cost
    }

    var first: Passage? { entries.first }

    /// A passage does not wait any more.
    func noteEnd(of passage: Passage) {
        count -= 1
        bytes -= passage.cost
        while let first = entries.first, !first.isWaiting { _ = entries.removeFirst() }
        guard entries.count > 2 * count + 64 else { return }
        for entry in entries.removeAll() where entry.isWaiting { entries.append(entry) }
    }
}
