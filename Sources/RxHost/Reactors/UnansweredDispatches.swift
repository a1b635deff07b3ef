internal import RxJSON
internal import RxRecords

/// How many dispatches of a reactor are unanswered, and the bytes of their actions, for each user that caused them.
///
/// There is room for `most` dispatches with `mostBytes` of actions. One user has at most nine times of what is left
/// free, so that the others always find some. An action of any size is admitted alone.
struct UnansweredDispatches {
    /// The most dispatches that may be unanswered: more than a pipelining client has, and few enough to keep a slow
    /// engine's queue short.
    static let most = 10_000
    /// The most bytes of their actions together: 64 MiB.
    static let mostBytes = 64 << 20
    private static let shareOfFree = 9

    private struct Use {
        /// The user at the origin of the causes; nil for everything without a user.
        let uid: UInt32?
        var count = 0
        var bytes = 0
    }

    /// The users with unanswered dispatches; few.
    private var uses: [Use] = []
    private(set) var count = 0
    private(set) var bytes = 0

    /// Admits a dispatch, which has to be answered; or returns why not.
    mutating func admit(_ input: ReactorInput) -> DispatchRefusal? {
        let (uid, size) = (input.causes.origin.uid, input.action.utf8.count)
        let place = uses.firstIndex { $0.uid == uid }
        let own = place.map { uses[$0] } ?? Use(uid: uid)
        guard own.count < Self.shareOfFree * (Self.most - count) else { return .full(limit: Self.most) }
        guard count == 0 || own.bytes + size <= Self.shareOfFree * (Self.mostBytes - bytes - size) else {
            return .tooManyBytes(limit: Self.mostBytes)
        }
        if let place {
            uses[place].count += 1
            uses[place].bytes += size
        } else {
            uses.append(Use(uid: uid, count: 1, bytes: size))
        }
        count += 1
        bytes += size
        return nil
    }

    /// A dispatch that was admitted is answered.
    mutating func answered(_ input: ReactorInput) {
        let (uid, size) = (input.causes.origin.uid, input.action.utf8.count)
        guard let place = uses.firstIndex(where: { $0.uid == uid }) else { return }
        uses[place].count -= 1
        uses[place].bytes -= size
        if uses[place].count == 0 { uses.remove(at: place) }
        count -= 1
        bytes -= size
    }
}
