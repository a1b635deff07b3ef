internal import Rx
internal import RxHost
internal import RxJSON
internal import RxRecords
internal import RxStore
internal import RxStreams

/// The last elements of the streams that conditions read. Those of streams that persist are stored.
///
/// An element is one of a definition: a stream with another source or other steps starts over.
final class LastElements: Sendable {
    /// The owner of its rows; no stream has such a name.
    static let owner = "~conditions"

    private struct Entry {
        let fingerprint: String
        let value: RawJSON
        let isPersistent: Bool
        var number: UInt64 = 0
    }

    /// An element; of two, the newer one has the greater number.
    typealias Numbered = (value: RawJSON, number: UInt64)

    private struct State {
        var fingerprints: [String: (fingerprint: String, isPersistent: Bool)] = [:]
        var entries: [String: Entry] = [:]
        /// The number of the newest element of all streams.
        var number: UInt64 = 0
        /// Streams whose rows are out of date.
        var unstored: Set<String> = []
    }

    private let host: Host
    private let state = Locked(State())

    init(_ host: Host) { self.host = host }

    /// Takes what an earlier daemon has stored.
    func restore(_ rows: [String: RawJSON]) {
        state.withLock { state in
            for (name, row) in rows {
                guard let row = row.value().object, let fingerprint = row["of"]?.string, let value = row["value"] else {
                    continue
                }
                state.entries[name] = Entry(fingerprint: fingerprint, value: RawJSON(value), isPersistent: true)
            }
        }
    }

    /// Forgets the elements of streams that are gone, or have changed.
    func set(_ definitions: [StreamDefinition]) {
        state.withLock { state in
            state.fingerprints = Dictionary(
                definitions.map { definition in
                    let fingerprint = definition.source.fingerprint + " " + definition.steps.fingerprint
                    return (definition.name, (fingerprint, definition.isPersistent))
                }, uniquingKeysWith: { $1 })
            for (name, entry) in state.entries {
                let known = state.fingerprints[name]
                if known?.fingerprint == entry.fingerprint, known?.isPersistent == true || !entry.isPersistent {
                    continue
                }
                state.entries[name] = nil
                if entry.isPersistent { state.unstored.insert(name) }
            }
        }
        store()
    }

    /// The last element of a stream; nil if it has emitted none yet.
    func last(of stream: String) -> Numbered? {
        state.withLock { state in state.entries[stream].map { ($0.value, $0.number) } }
    }

    /// A stream has emitted an element. Any thread; does not wait.
    ///
    /// - Returns: the number of the element.
    func note(_ value: RawJSON, of stream: String) -> UInt64 {
        state.withLock { state in
            state.number += 1
            guard let (fingerprint, isPersistent) = state.fingerprints[stream] else { return state.number }
            state.entries[stream] = Entry(
                fingerprint: fingerprint, value: value, isPersistent: isPersistent, number: state.number)
            if isPersistent { state.unstored.insert(stream) }
            return state.number
        }
    }

    /// Stores what has changed; of elements in quick succession, only the last one.
    func store() {
        let rows = state.withLock { state -> [StreamRow] in
            defer { state.unstored = [] }
            return state.unstored.map { name in
                let row = state.entries[name].map { entry -> RawJSON in
                    RawJSON(["of": .string(entry.fingerprint), "value": entry.value.value()])
                }
                return StreamRow(stream: Self.owner, name: name, value: row)
            }
        }
        if !rows.isEmpty { host.store?.store(rows, isDurable: false) }
    }
}
