internal import Synchronization

/// The members of a broadcast, in places that a delivery reads without a lock while members join and leave.
///
/// Changed only with the broadcast's lock held. A place retains its content. The caller that empties it receives the
/// content and releases it when no delivery can be reading it.
final class Roster: @unchecked Sendable {
    // Unchecked: data read by a delivery is atomic; the broadcast's lock guards the rest.
    typealias Member = Broadcast.Member

    /// The tag of a member in its replay: the lowest bit, which is unused in an address.
    private static let replaying: UInt = 1

    /// One word per place: the retained stage's address; the tagged address of a member in its replay; or 0.
    private let words: UnsafeMutablePointer<Atomic<UInt>>
    /// One member per place. Separate from the words, because changing one accesses its container, which deliveries
    /// must not see.
    private let members: UnsafeMutablePointer<Member?>
    private let capacity: Int
    private let given = Atomic(0)
    /// The number of assigned places that are empty again.
    private(set) var gaps = 0

    init(capacity: Int) {
        self.capacity = capacity
        words = .allocate(capacity: capacity)
        members = .allocate(capacity: capacity)
        for index in 0..<capacity { (words + index).initialize(to: Atomic(0)) }
        members.initialize(repeating: nil, count: capacity)
    }

    deinit {
        words.deinitialize(count: capacity)
        words.deallocate()
        members.deinitialize(count: capacity)
        members.deallocate()
    }

    /// The number of assigned places.
    var count: Int { given.load(ordering: .sequentiallyConsistent) }

    // MARK: - In a delivery

    /// Reads the first `count` places: passes stages to `deliver` and members in their replay to `keep`.
    @inline(__always)
    func forEach(first count: Int, deliver: (DisposeBase) -> Void, keep: (Member) -> Void) {
        var index = 0
        while index < count {
            let word = words[index].load(ordering: .sequentiallyConsistent)
            index += 1
            guard let address = UnsafeRawPointer(bitPattern: word & ~Roster.replaying) else { continue }
            if word & Roster.replaying == 0 {
                Unmanaged<DisposeBase>.fromOpaque(address)._withUnsafeGuaranteedRef(deliver)
            } else {
                Unmanaged<Member>.fromOpaque(address)._withUnsafeGuaranteedRef(keep)
            }
        }
    }

    // MARK: - With the lock held

    var isEmpty: Bool { count == gaps }
    var isFull: Bool { count == capacity }

    /// Assigns the next place to `member`. Deliveries find the member until its stage is shown.
    func append(_ member: Member) {
        let index = count
        let address = UInt(bitPattern: Unmanaged.passUnretained(member).toOpaque())
        members[index] = member
        words[index].store(address | Roster.replaying, ordering: .sequentiallyConsistent)
        member.place = index
        given.store(index + 1, ordering: .sequentiallyConsistent)
    }

    func append(_ member: Member, _ stage: DisposeBase) {
        let index = count
        members[index] = member
        show(stage, at: index)
        member.place = index
        given.store(index + 1, ordering: .sequentiallyConsistent)
    }

    /// Shows the stage in its place to deliveries from now on.
    func show(_ stage: DisposeBase, at index: Int) {
        let address = UInt(bitPattern: Unmanaged.passRetained(stage).toOpaque())
        words[index].store(address, ordering: .sequentiallyConsistent)
    }

    func stage(at index: Int) -> DisposeBase? {
        Roster.stage(words[index].load(ordering: .relaxed))?.takeUnretainedValue()
    }

    /// The retained former content of a place.
    struct Left {
        fileprivate let word: UInt
        fileprivate let member: Member?
        fileprivate let stage: DisposeBase?
    }

    /// Empties a place. The member's place becomes `place`, which is not in this roster.
    func empty(_ index: Int, place: Int) -> Left {
        let word = words[index].exchange(0, ordering: .sequentiallyConsistent)
        let member = members[index].take()
        member?.place = place
        gaps += 1
        return Left(word: word, member: member, stage: Roster.stage(word)?.takeRetainedValue())
    }

    func emptyAll(place: Int) -> [Left] {
        (0..<count).compactMap { members[$0] == nil ? nil : empty($0, place: place) }
    }

    /// Removes empty places at the end. Not called while a delivery relies on them.
    func shorten() {
        var end = count
        while end > 0, members[end - 1] == nil { end -= 1 }
        gaps -= count - end
        given.store(end, ordering: .sequentiallyConsistent)
    }

    /// Returns a copy with the same places or, if `closingGaps`, with places for the members only. A delivery may still
    /// read this roster.
    func copied(capacity: Int, closingGaps: Bool = false) -> Roster {
        let copy = Roster(capacity: capacity)
        var end = 0
        for index in 0..<count {
            let member = members[index].take()
            if closingGaps, member == nil { continue }
            copy.words[end].store(words[index].load(ordering: .relaxed), ordering: .relaxed)
            member?.place = end
            copy.members[end] = member
            end += 1
        }
        copy.gaps = closingGaps ? 0 : gaps
        copy.given.store(end, ordering: .relaxed)
        return copy
    }

    /// The number of members in the first `count` places.
    func members(inFirst count: Int) -> Int {
        (0..<count).reduce(0) { members[$1] == nil ? $0 : $0 + 1 }
    }

    /// Empties the place of a member that has left the copy of this roster.
    func forget(_ left: Left) {
        for index in 0..<count where words[index].load(ordering: .relaxed) == left.word {
            words[index].store(0, ordering: .sequentiallyConsistent)
        }
    }

    private static func stage(_ word: UInt) -> Unmanaged<DisposeBase>? {
        guard word & replaying == 0, let address = UnsafeRawPointer(bitPattern: word) else { return nil }
        return .fromOpaque(address)
    }
}
