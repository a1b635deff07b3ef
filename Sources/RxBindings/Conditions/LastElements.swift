internal import Rx
internal import RxHost
internal import RxJSON
internal import RxRecords
internal import RxStore
internal import RxStreams

/// The last elements of all streams, for conditions that read them now or from the next reload on. That of a stream
/// that persists is stored while a condition reads it. A long one is kept only while a condition reads it.
///
/// An element is one of a definition: a stream with another source or other steps starts over.
final class LastElements: Sendable {
    /// The owner of its rows; no stream has such a name.
    static let owner = "~conditions"

    /// Bytes of a last element that is kept although no condition reads its stream: there may be many streams.
    static let mostUnreadBytes = 4096

    private struct Entry {
        let fingerprint: String
        let value: RawJSON
        /// Whether there is a row of the stream, or is going to be.
        var isStored: Bool
        var number: UInt64 = 0
    }

    /// An element; of two, the newer one has the greater number.
    typealias Numbered = (value: RawJSON, number: UInt64)

    private struct State {
        var fingerprints: [String: (fingerprint: String, isPersistent: Bool)] = [:]
        var entries: [String: Entry] = [:]
        /// The number of the newest element of all streams.
        var number: UInt64 = 0
        /// The number of conditions that read a stream.
        var readers: [String: Int] = [:]
        /// Streams whose rows are out of date.
        var unstored: Set<String> = []

        /// Whether the elements of a stream are to be stored.
        func stores(_ stream: String) -> Bool {
            readers[stream] != nil && fingerprints[stream]?.isPersistent ?? false
        }

        /// Has the last element of a stream stored, if it is to be and is not yet.
        mutating func storeLast(of stream: String) {
            guard stores(stream), entries[stream]?.isStored == false else { return }
            entries[stream]?.isStored = true
            unstored.insert(stream)
        }
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
                state.entries[name] = Entry(fingerprint: fingerprint, value: RawJSON(value), isStored: true)
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
                if known?.fingerprint == entry.fingerprint, known?.isPersistent == true || !entry.isStored {
                    state.storeLast(of: name)
                    continue
                }
                state.entries[name] = nil
                if entry.isStored { state.unstored.insert(name) }
            }
        }
        store()
    }

    /// The last element of a stream; nil if it has emitted none yet.
    func last(of stream: String) -> Numbered? {
        state.withLock { state in state.entries[stream].map { ($0.value, $0.number) } }
    }

    /// A condition reads the elements of a stream, until the result is disposed of.
    func read(_ stream: String) -> any Disposable {
        state.withLock { state in
            state.readers[stream, default: 0] += 1
            state.storeLast(of: stream)
        }
        return Disposables.create { [self] in
            state.withLock { state in
                guard let count = state.readers[stream] else { return }
                state.readers[stream] = count > 1 ? count - 1 : nil
            }
            store()
        }
    }

    /// A stream has emitted an element. Any thread; does not wait.
    func note(_ value: RawJSON, of stream: String) {
        let isObsolete = state.withLock { state -> Bool in
            guard let (fingerprint, _) = state.fingerprints[stream] else { return false }
            let wasStored = state.entries[stream]?.isStored ?? false
            let isStored = state.stores(stream)
            state.number += 1
            let isKept = state.readers[stream] != nil || value.utf8.count <= Self.mostUnreadBytes
            state.entries[stream] =
                isKept
                ? Entry(fingerprint: fingerprint, value: value, isStored: isStored, number: state.number) : nil
            if isStored || wasStored { state.unstored.insert(stream) }
            return wasStored && !isStored
        }
        // No condition reads the stream any more. After a kill, the next one finds no element rather than an earlier
        // one.
        if isObsolete { store() }
    }

    /// Stores what has changed; of elements in quick succession, only the last one.
    func store() {
        let rows = state.withLock { state -> [StreamRow] in
            defer { state.unstored = [] }
            return state.unstored.map { name in
                guard let entry = state.entries[name], entry.isStored else {
                    return StreamRow(stream: Self.owner, name: name, value: nil)
                }
                let row = RawJSON(["of": .string(entry.fingerprint), "value": entry.value.value()])
                return StreamRow(stream: Self.owner, name: name, value: row)
            }
        }
        if !rows.isEmpty { host.store?.store(rows, isDurable: false) }
    }
}
