/// The members of an object in the order written. A repeated key keeps its first place and takes the last value.
///
/// Two objects are equal if they have the same members, in whatever order.
public struct JSONObject: Sendable, Sequence, ExpressibleByDictionaryLiteral {
    public struct Member: Sendable {
        public let key: String
        public var value: JSONValue
    }

    public private(set) var members: [Member] = []

    /// Where each key is; kept only above `searched`.
    private var places: [Characters: Int] = [:]

    /// Up to this many members are searched one by one, which is as fast as hashing and saves the table.
    private static let searched = 8

    public init() {}

    /// A repeated key: the last wins.
    public init(dictionaryLiteral members: (String, JSONValue)...) {
        for (key, value) in members { self[key] = value }
    }

    public init(_ members: some Sequence<(String, JSONValue)>) {
        for (key, value) in members { self[key] = value }
    }

    public var count: Int { members.count }
    public var isEmpty: Bool { members.isEmpty }
    public var keys: [String] { members.map(\.key) }

    public func makeIterator() -> IndexingIterator<[Member]> {
        members.makeIterator()
    }

    /// Setting nil removes the member; the others keep their order.
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

    /// Which member it is, from 0.
    func place(of key: String) -> Int? {
        members.count > Self.searched
            ? places[Characters(of: key)] : members.firstIndex { Characters(of: $0.key) == Characters(of: key) }
    }

    /// Lets `body` change a value where it is.
    mutating func change<Result>(at place: Int, _ body: (inout JSONValue) -> Result) -> Result {
        body(&members[place].value)
    }

    /// `key` is new.
    mutating func insert(_ key: String, _ value: JSONValue, at place: Int) {
        members.insert(Member(key: key, value: value), at: place)
        if members.count == Self.searched + 1 {
            index()
        } else if members.count > Self.searched {
            // Behind the last one there is nothing to shift.
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

    /// Hashing all keys anew would cost ten times as much.
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
    /// Whether one is a copy of the other, and neither has changed since.
    func sharesStorage(with other: JSONObject) -> Bool {
        members.sharesStorage(with: other.members)
    }
}

extension Array {
    /// Whether one is a copy of the other, and neither has changed since. Empty ones may or may not.
    func sharesStorage(with other: [Element]) -> Bool {
        count == other.count
            && withUnsafeBufferPointer { one in other.withUnsafeBufferPointer { $0.baseAddress == one.baseAddress } }
    }
}

extension JSONObject: Hashable {
    public static func == (one: JSONObject, other: JSONObject) -> Bool {
        one.sharesStorage(with: other) || one.count == other.count && one.allSatisfy { other[$0.key] == $0.value }
    }

    public func hash(into hasher: inout Hasher) {
        // Order must not matter.
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
