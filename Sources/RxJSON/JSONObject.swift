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

    private func place(of key: String) -> Int? {
        members.count > Self.searched
            ? places[Characters(of: key)] : members.firstIndex { Characters(of: $0.key) == Characters(of: key) }
    }

    private mutating func append(_ member: Member) {
        members.append(member)
        if members.count == Self.searched + 1 {
            index()
        } else if members.count > Self.searched {
            places[Characters(of: member.key)] = members.count - 1
        }
    }

    private mutating func remove(at place: Int) {
        members.remove(at: place)
        index()
    }

    private mutating func index() {
        places = [:]
        guard members.count > Self.searched else { return }
        for (place, member) in members.enumerated() { places[Characters(of: member.key)] = place }
    }
}

extension JSONObject: Hashable {
    public static func == (one: JSONObject, other: JSONObject) -> Bool {
        one.count == other.count && one.allSatisfy { other[$0.key] == $0.value }
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
