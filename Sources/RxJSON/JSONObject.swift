/// The members of an object in the order written. A repeated key keeps its first position and takes the last value.
///
/// Objects are equal if they have the same members, in any order.
public struct JSONObject: Sendable, Sequence, ExpressibleByDictionaryLiteral {
    /// One key with its value.
    public struct Member: Sendable {
        /// The decoded key.
        public let key: String
        /// The value of the key.
        public var value: JSONValue
    }

    public private(set) var members: [Member] = []

    /// The index of each key; maintained only for more than `searched` members.
    private var places: [Characters: Int] = [:]

    /// Up to this many members are searched linearly, which is as fast as hashing and needs no table.
    private static let searched = 8

    /// Creates an empty object.
    public init() {}

    /// Creates an object from a literal. The last value of a repeated key counts.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        for (key, value) in members { self[key] = value }
    }

    /// Creates an object with `members` in order. The last value of a repeated key counts.
    public init(_ members: some Sequence<(String, JSONValue)>) {
        for (key, value) in members { self[key] = value }
    }

    /// The number of members.
    public var count: Int { members.count }
    /// Whether there are no members.
    public var isEmpty: Bool { members.isEmpty }
    /// The keys in the order written.
    public var keys: [String] { members.map(\.key) }

    /// Iterates over the members in the order written.
    public func makeIterator() -> IndexingIterator<[Member]> {
        members.makeIterator()
    }

    /// The value of `key`, or nil. Setting a new key appends a member; setting nil removes it and keeps the order of
    /// the others.
    public subscript(key: String) -> JSONValue? {
        get {
            place(of: key).map { members[$0].value }
        }
        set {
            switch (place(of: key), newValue) {
            case (let place?, let value?): members[place].value = value
            case (nil, let value?): append(Member(key: key, value: value))
            case (let place?, nil): remove(at: place)
            case (nil, nil): break
            }
        }
    }

    /// The index of the member, from 0.
    func place(of key: String) -> Int? {
        members.count > Self.searched
            ? places[Characters(of: key)] : members.firstIndex { Characters(of: $0.key) == Characters(of: key) }
    }

    /// Calls `body` to change a value in place.
    mutating func change<Result>(at place: Int, _ body: (inout JSONValue) -> Result) -> Result {
        body(&members[place].value)
    }

    /// Inserts a member. `key` must be new.
    mutating func insert(_ key: String, _ value: JSONValue, at place: Int) {
        members.insert(Member(key: key, value: value), at: place)
        if members.count == Self.searched + 1 {
            index()
        } else if members.count > Self.searched {
            // An insertion at the end shifts nothing.
            if place < members.count - 1 { shiftPlaces(from: place, by: 1) }
            places[Characters(of: key)] = place
        }
    }

    @discardableResult
    mutating func remove(at place: Int) -> Member {
        let member = members.remove(at: place)
        if members.count > Self.searched {
            places[Characters(of: member.key)] = nil
            if place < members.count { shiftPlaces(from: place, by: -1) }
        } else {
            places = [:]
        }
        return member
    }

    private mutating func append(_ member: Member) {
        insert(member.key, member.value, at: members.count)
    }

    /// Adjusts the indices. Rehashing all keys would cost ten times as much.
    private mutating func shiftPlaces(from place: Int, by distance: Int) {
        var index = places.startIndex
        while index != places.endIndex {
            if places.values[index] >= place { places.values[index] += distance }
            places.formIndex(after: &index)
        }
    }

    private mutating func index() {
        places = [:]
        guard members.count > Self.searched else { return }
        for (place, member) in members.enumerated() { places[Characters(of: member.key)] = place }
    }
}

extension JSONObject {
    /// Whether both share unmodified storage because one is a copy of the other.
    func sharesStorage(with other: JSONObject) -> Bool {
        members.sharesStorage(with: other.members)
    }
}

extension Array {
    /// Whether both share unmodified storage because one is a copy of the other. For empty arrays the result is
    /// arbitrary.
    func sharesStorage(with other: [Element]) -> Bool {
        count == other.count
            && withUnsafeBufferPointer { one in other.withUnsafeBufferPointer { $0.baseAddress == one.baseAddress } }
    }
}

extension JSONObject: Hashable {
    /// Whether both have the same members, in any order.
    public static func == (one: JSONObject, other: JSONObject) -> Bool {
        one.sharesStorage(with: other) || one.count == other.count && one.allSatisfy { other[$0.key] == $0.value }
    }

    /// Hashes the members independent of their order.
    public func hash(into hasher: inout Hasher) {
        // Independent of the order.
        var sum = 0
        for member in members {
            var own = Hasher()
            own.combine(Characters(of: member.key))
            own.combine(member.value)
            sum ^= own.finalize()
        }
        hasher.combine(count)
        hasher.combine(sum)
    }
}
