internal import RxJSON
internal import RxRecords
internal import RxStreams
internal import RxTime

/// What is stored of one stream: the positions of its sources, the values of its steps, and whether it has ended.
///
/// A stream whose source has changed starts over. One whose steps have changed keeps its positions.
// Unchecked: belongs to the stream's turn.
final class StreamRows: @unchecked Sendable {
    private let name: String
    private let fingerprints: [String: String]
    private var positions: [String: RawJSON] = [:]
    /// The values of the steps.
    private(set) var values: [String: RawJSON] = [:]
    /// Where the stream's clock was.
    private(set) var time: Instant?
    private(set) var hasEnded = false
    private var obsolete: [String] = []
    /// Values that an earlier version has stored under names that were not ASCII, by their names now.
    private var renamed: [String: RawJSON] = [:]
    private var isNew = false
    /// Whether the source is another one than that of the earlier run.
    private(set) var startsOver = false
    private var storedTime: Instant?

    init(_ definition: StreamDefinition, stored: [String: RawJSON]) {
        name = definition.name
        fingerprints = ["~source": definition.source.fingerprint, "~through": definition.steps.fingerprint]
        func isSame(_ key: String) -> Bool { stored[key]?.value().string == fingerprints[key] }
        startsOver = stored["~source"] != nil && !isSame("~source")
        isNew = !isSame("~source") || !isSame("~through")
        for (key, value) in stored {
            if key.hasPrefix("position/") {
                if isSame("~source") { positions[String(key.dropFirst(9))] = value } else { obsolete.append(key) }
            } else if key.hasPrefix("value/") {
                keep(value, of: String(key.dropFirst(6)), key)
            } else if key == "time" {
                if isSame("~source") { time = value.value().int.map { Instant(microseconds: Int64($0)) } }
            } else if key == "ended" {
                if !isNew { hasEnded = true } else { obsolete.append(key) }
            }
        }
        if !definition.isPersistent { (time, hasEnded) = (nil, false) }
        renamed = renamed.filter { values[$0.key] == nil }
        values.merge(renamed) { value, _ in value }
    }

    /// Keeps the value of a step, unless the steps have changed.
    private func keep(_ value: RawJSON, of name: String, _ key: String) {
        let ascii = StateName.ascii(name)
        if !isNew, ascii == name { return values[name] = value }
        obsolete.append(key)
        if !isNew { renamed[ascii] = value }
    }

    /// The places of the sources whose positions are among these rows.
    static func places(of stored: [String: RawJSON]) -> [String] {
        stored.keys.filter { $0.hasPrefix("position/") }.map { String($0.dropFirst(9)) }
    }

    private func row(_ key: String, _ value: RawJSON?) -> StreamRow {
        StreamRow(stream: name, name: key, value: value)
    }

    /// The rows for the beginning: of a stream that starts over, without what an earlier definition has left.
    func begin() -> [StreamRow] {
        (isNew ? fingerprints.map { row($0.key, RawJSON(.string($0.value))) } : [])
            + renamed.map { row("value/\($0.key)", $0.value) } + obsolete.map { row($0, nil) }
    }

    func position(_ place: String) -> RawJSON? { positions[place] }

    func note(position: RawJSON, of place: String) -> [StreamRow] {
        guard positions[place] != position else { return [] }
        positions[place] = position
        return [row("position/\(place)", position)]
    }

    /// The values that have changed in a turn, with the time of the clock.
    func changes(_ context: StreamContext, keepsState: Bool) -> [StreamRow] {
        guard keepsState else { return [] }
        let changes = context.state.takeChanges()
        guard !changes.isEmpty else { return [] }
        for (name, value) in changes { values[name] = value }
        time = context.clock.instant
        return changes.map { row("value/\($0.key)", $0.value) }
            + [row("time", RawJSON(JSONValue(Int(context.clock.instant.microseconds))))]
    }

    /// All rows as they are now.
    var all: [StreamRow] {
        fingerprints.map { row($0.key, RawJSON(.string($0.value))) }
            + positions.map { row("position/\($0.key)", $0.value) } + values.map { row("value/\($0.key)", $0.value) }
            + (time.map { [row("time", RawJSON(JSONValue(Int($0.microseconds))))] } ?? [])
            + (hasEnded ? [row("ended", .true)] : [])
    }

    /// The row of a stream that has ended itself.
    func end() -> [StreamRow] {
        hasEnded = true
        return [row("ended", .true)]
    }
}
