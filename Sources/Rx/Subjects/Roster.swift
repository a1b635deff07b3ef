internal import Synchronization

/// The members of a broadcast, in places that a delivery reads without a lock while members come and go.
///
/// Changed only with the lock of the broadcast held. A place keeps alive what it holds; who empties it is handed that, and
/// lets go of it when no delivery can be looking at it any more.
final class Roster: @unchecked Sendable {
    // Unchecked: what a delivery reads is atomic, the rest is guarded by the lock of the broadcast.
    typealias Member = Broadcast.Member

    /// The mark: the lowest bit, which is free in an address.
    private static let replaying: UInt = 1

    /// A place each: the address of the stage, retained; or, marked, that of the member while it receives its replay; or 0.
    private let words: UnsafeMutablePointer<Atomic<UInt>>
    /// A place each. Apart from the words: to change one is an access to what it is part of, which deliveries must not see.
    private let members: UnsafeMutablePointer<Member?>
    private let capacity: Int
    private let given = Atomic(0)
    /// How many of the places given are empty again.
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

    /// How many places were given.
    var count: Int { given.load(ordering: .sequentiallyConsistent) }

    // MARK: - In a delivery

    /// What is in the first `count` places: `deliver` gets the stages, `keep` the members that receive their replay.
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

    /// Gives `member` the next place. Until its stage is shown there, deliveries find itself.
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

    /// From now on deliveries find the stage in this place.
    func show(_ stage: DisposeBase, at index: Int) {
        let address = UInt(bitPattern: Unmanaged.passRetained(stage).toOpaque())
        words[index].store(address, ordering: .sequentiallyConsistent)
    }

    func stage(at index: Int) -> DisposeBase? {
        Roster.stage(words[index].load(ordering: .relaxed))?.takeUnretainedValue()
    }

    /// What was in a place, kept alive.
    struct Left {
        fileprivate let word: UInt
        fileprivate let member: Member?
        fileprivate let stage: DisposeBase?
    }

    /// The member's place is `place` from now on, which is none here.
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

    /// Takes back the empty places at the end. Not while a delivery counts on them.
    func shorten() {
        var end = count
        while end > 0, members[end - 1] == nil { end -= 1 }
        gaps -= count - end
        given.store(end, ordering: .sequentiallyConsistent)
    }

    /// A copy with the same places, or, with the gaps closed, with places for the members only. This one is left for the
    /// delivery that may be reading it.
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

    /// How many members are in the first `count` places.
    func members(inFirst count: Int) -> Int {
        (0..<count).reduce(0) { members[$1] == nil ? $0 : $0 + 1 }
    }

    /// Empties the place here of one that has left the copy made of this.
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
