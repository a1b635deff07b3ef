internal import RxJSON
internal import RxRecords
internal import RxStreams

/// The last values of a level that an `on` took. They are always stored, so that a restart does not fire them again.
struct LevelMemory: Sendable {
    /// In bytes. A longer value, or one that may have secrets, is stored as its length and its hash.
    private static let longest = 4096
    /// The most values: one for each unit that matches a glob. Beyond it, others are remembered until a restart.
    private static let most = StreamLimits.pendingElements
    private static let prefix = "taken/"

    private let kind: LevelKind
    private let owner: String
    private var marks: [String: RawJSON] = [:]

    /// - Parameter stored: the rows of the `on`.
    init(_ kind: LevelKind, owner: String, stored: [String: RawJSON]) {
        self.kind = kind
        self.owner = owner
        guard kind != .none else { return }
        for (name, value) in stored where name.hasPrefix(Self.prefix) {
            marks[String(name.dropFirst(Self.prefix.count))] = value
        }
    }

    /// Whether the `on` took this value last.
    func has(_ element: StreamElement) -> Bool {
        guard kind != .none, let mark = marks[element.levelKey(kind)] else { return false }
        return mark == element.value || mark == Self.hash(of: element.value)
    }

    /// The `on` has taken a value.
    ///
    /// - Parameter isSecret: whether it may have secrets.
    /// - Returns: the rows to be stored.
    mutating func take(_ element: StreamElement, isSecret: Bool) -> [StreamRow] {
        guard kind != .none else { return [] }
        let value = element.value
        let mark = isSecret || value.utf8.count > Self.longest ? Self.hash(of: value) : value
        let key = element.levelKey(kind)
        guard marks[key] != mark, marks[key] != nil || marks.count < Self.most else { return [] }
        marks[key] = mark
        return [row(key, mark)]
    }

    /// The `on` has not taken a value after all.
    ///
    /// - Returns: the rows to be stored.
    mutating func forget(_ element: StreamElement) -> [StreamRow] {
        guard has(element) else { return [] }
        let key = element.levelKey(kind)
        marks[key] = nil
        return [StreamRow(stream: owner, name: Self.prefix + key, value: nil)]
    }

    /// All rows.
    var rows: [StreamRow] { marks.map { row($0.key, $0.value) } }

    private func row(_ key: String, _ mark: RawJSON) -> StreamRow {
        StreamRow(stream: owner, name: Self.prefix + key, value: mark)
    }

    private static func hash(of value: RawJSON) -> RawJSON {
        // FNV-1a.
        let hash = value.utf8.reduce(0xcbf2_9ce4_8422_2325 as UInt64) { ($0 ^ UInt64($1)) &* 0x100_0000_01b3 }
        return RawJSON(["bytes": JSONValue(value.utf8.count), "hash": .string(String(hash, radix: 16))])
    }
}
