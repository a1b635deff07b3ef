internal import RxJSON

/// What is known of the units of one stream, and what of it has been emitted. A pure value: each event returns the
/// elements that it makes, or the properties to read.
struct UnitTable {
    /// A property to read.
    struct Read: Equatable {
        var path: String
        var interface: String
        var property: String
    }

    private struct Record {
        let name: String
        let kind: UnitKind?
        var state: UnitState
        /// The state that was emitted last; nil for none.
        var emitted: UnitState?
        /// The reads without a reply. An element needs all.
        var pending = 0
    }

    private let pattern: UnitPattern
    /// By path. One per loaded unit that matches; a unit that systemd forgets is forgotten here, unless it is the one
    /// of the stream.
    private var records: [String: Record] = [:]

    init(_ pattern: UnitPattern) { self.pattern = pattern }

    /// The connection was lost, and with it the replies.
    mutating func disconnected() {
        for path in records.keys { records[path]?.pending = 0 }
    }

    /// All units of the pattern, as systemd lists them.
    mutating func listed(_ units: [UnitCalls.Listed]) -> (elements: [RawJSON], reads: [Read]) {
        var elements: [RawJSON] = []
        let paths = Set(units.map(\.path))
        for path in records.keys.sorted() where !paths.contains(path) { elements += removed(path) }
        var reads: [Read] = []
        for unit in units { reads += update(unit) }
        return (elements + units.flatMap { emit($0.path) }, reads)
    }

    /// A unit was loaded, and is in this state now.
    mutating func loaded(_ unit: UnitCalls.Listed) -> (elements: [RawJSON], reads: [Read]) {
        guard unit.active == "inactive" else {
            let reads = update(unit)
            return (emit(unit.path), reads)
        }
        // Reading its properties would load it again if systemd has forgotten it, which would be reported as another
        // load, and so on.
        guard let record = records[unit.path], !record.state.isInactive else { return ([], []) }
        records[unit.path]?.state = UnitState(active: unit.active, sub: unit.sub, of: record.kind)
        return (emit(unit.path), [])
    }

    /// Systemd has forgotten a unit, which is thus inactive.
    mutating func removed(_ path: String) -> [RawJSON] {
        guard let record = records[path] else { return [] }
        if !record.state.isInactive { records[path]?.state = UnitState(of: record.kind) }
        records[path]?.pending = 0
        let elements = emit(path)
        if pattern.isGlob { records[path] = nil }
        return elements
    }

    /// Systemd reports changed properties: those of the type first, then those that all units have.
    mutating func changed(_ path: String, _ interface: String, _ properties: JSONValue) -> [RawJSON] {
        let isWhole = interface == UnitCalls.unit && properties["ActiveState"] != nil
        if records[path] == nil, pattern.isGlob, let name = UnitPath.unit(at: path), pattern.holds(for: name) {
            let kind = UnitKind(of: name)
            guard isWhole || interface == kind?.interface else { return [] }
            records[path] = Record(name: name, kind: kind, state: UnitState(of: kind))
        }
        guard let record = records[path] else { return [] }
        guard isWhole else {
            if interface == record.kind?.interface { records[path]?.state.merge(properties) }
            return []
        }
        records[path]?.state.merge(properties)
        return emit(path)
    }

    /// The reply to a read; nil if it failed, because the unit is gone or the property unknown.
    mutating func read(_ read: Read, _ value: JSONValue?) -> [RawJSON] {
        guard let record = records[read.path], record.pending > 0 else { return [] }
        records[read.path]?.pending -= 1
        if let value { records[read.path]?.state.merge(.object([read.property: value])) }
        return emit(read.path)
    }

    private mutating func update(_ unit: UnitCalls.Listed) -> [Read] {
        let kind = UnitKind(of: unit.unit)
        // A name of several is shown as configured.
        let name = pattern.isGlob ? unit.unit : pattern.description
        var record = records[unit.path] ?? Record(name: name, kind: kind, state: UnitState(of: kind))
        record.state.active = unit.active
        record.state.sub = unit.sub
        var reads = [Read(path: unit.path, interface: UnitCalls.unit, property: "StateChangeTimestamp")]
        if let kind, kind.hasResult {
            reads.append(Read(path: unit.path, interface: kind.interface, property: "Result"))
        }
        if let kind, kind.hasRestarts {
            reads.append(Read(path: unit.path, interface: kind.interface, property: "NRestarts"))
        }
        if unit.sub == UnitState.notFound { reads = [] }
        record.pending += reads.count
        records[unit.path] = record
        return reads
    }

    private mutating func emit(_ path: String) -> [RawJSON] {
        guard var record = records[path], record.pending == 0 else { return [] }
        // Systemd forgets times with a unit that it loads again. That alone is no change.
        if let emitted = record.emitted, record.state.since == 0, record.state.active == emitted.active,
            record.state.sub == emitted.sub
        {
            record.state.since = emitted.since
        }
        guard record.state != record.emitted else { return [] }
        record.emitted = record.state
        records[path] = record
        return [record.state.element(of: record.name)]
    }
}
