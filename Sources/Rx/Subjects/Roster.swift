internal import Synchronization

/// The members of a broadcast, in places that a delivery reads without a lock while members come and go.
///
/// Changed only with the lock of the broadcast held. A place keeps alive what it holds; who empties it is handed that, and
/// lets go of it when no delivery can be looking at it any more.
final class Roster: @unchecked Sendable {
    // Unchecked: what a delivery reads is atomic, the rest is guarded by the lock of the broadcast.
    typealias Member = Broadcast.Member

    private struct Place: ~Copyable {
        /// The address of the stage, retained; or, marked, that of the member while it receives its replay; or 0.
        let word = Atomic<UInt>(0)
        var member: Member?
    }

    /// The mark: the lowest bit, which is free in an address.
    private static let replaying: UInt = 1

    private let places: UnsafeMutablePointer<Place>
    private let capacity: Int
    private let given = Atomic(0)
    /// How many of the places given are empty again.
    private(set) var gaps = 0

    init(capacity: Int) {
        self.capacity = capacity
        places = .allocate(capacity: capacity)
        for index in 0..<capacity { (places + index).initialize(to: Place()) }
    }

    deinit {
        places.deinitialize(count: capacity)
        places.deallocate()
    }

    /// How many places were given.
    var count: Int { given.load(ordering: .sequentiallyConsistent) }

    // MARK: - In a delivery

    /// What is in the first `count` places: `deliver` gets the stages, `keep` the members that receive their replay.
    @inline(__always)
    func forEach(first count: Int, deliver: (DisposeBase) -> Void, keep: (Member) -> Void) {
        var index = 0
        while index < count {
            let word = places[index].word.load(ordering: .sequentiallyConsistent)
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
        places[index].member = member
        places[index].word.store(address | Roster.replaying, ordering: .sequentiallyConsistent)
        member.place = index
        given.store(index + 1, ordering: .sequentiallyConsistent)
    }

    func append(_ member: Member, _ stage: DisposeBase) {
        let index = count
        places[index].member = member
        show(stage, at: index)
        member.place = index
        given.store(index + 1, ordering: .sequentiallyConsistent)
    }

    /// From now on deliveries find the stage in this place.
    func show(_ stage: DisposeBase, at index: Int) {
        let address = UInt(bitPattern: Unmanaged.passRetained(stage).toOpaque())
        places[index].word.store(address, ordering: .sequentiallyConsistent)
    }

    func stage(at index: Int) -> DisposeBase? {
        Roster.stage(places[index].word.load(ordering: .relaxed))?.takeUnretainedValue()
    }

    /// What was in a place, kept alive.
    struct Left {
        fileprivate let word: UInt
        fileprivate let member: Member?
        fileprivate let stage: DisposeBase?
    }

    /// The member's place is `place` from now on, which is none here.
    func empty(_ index: Int, place: Int) -> Left {
        let word = places[index].word.exchange(0, ordering: .sequentiallyConsistent)
        let member = places[index].member.take()
        member?.place = place
        gaps += 1
        return Left(word: word, member: member, stage: Roster.stage(word)?.takeRetainedValue())
    }

    func emptyAll(place: Int) -> [Left] {
        (0..<count).compactMap { places[$0].member == nil ? nil : empty($0, place: place) }
    }

    /// Takes back the empty places at the end. Not while a delivery counts on them.
    func shorten() {
        var end = count
        while end > 0, places[end - 1].member == nil { end -= 1 }
        gaps -= count - end
        given.store(end, ordering: .sequentiallyConsistent)
    }

    /// A copy with the same places, or, with the gaps closed, with places for the members only. This one is left for the
    /// delivery that may be reading it.
    func copied(capacity: Int, closingGaps: Bool = false) -> Roster {
        let copy = Roster(capacity: capacity)
        var end = 0
        for index in 0..<count {
            let member = places[index].member.take()
            if closingGaps, member == nil { continue }
            copy.places[end].word.store(places[index].word.load(ordering: .relaxed), ordering: .relaxed)
            member?.place = end
            copy.places[end].member = member
            end += 1
        }
        copy.gaps = closingGaps ? 0 : gaps
        copy.given.store(end, ordering: .relaxed)
        return copy
    }

    /// How many members are in the first `count` places.
    func members(inFirst count: Int) -> Int {
        (0..<count).reduce(0) { places[$1].member == nil ? $0 : $0 + 1 }
    }

    /// Empties the place here of one that has left the copy made of this.
    func forget(_ left: Left) {
        for index in 0..<count where places[index].word.load(ordering: .relaxed) == left.word {
            places[index].word.store(0, ordering: .sequentiallyConsistent)
        }
    }

    private static func stage(_ word: UInt) -> Unmanaged<DisposeBase>? {
        guard word & replaying == 0, let address = UnsafeRawPointer(bitPattern: word) else { return nil }
        return .fromOpaque(address)
    }
}
