internal import RxJSON
internal import RxRecords
internal import RxStore
internal import RxStreams
internal import RxTime

/// What of a stream survives a restart, and when it is stored.
///
/// It belongs to the stream's turn, but for what is constant and `store`.
final class StreamStorage: Sendable {
    /// Whether the state of the steps is stored, at the end of each turn.
    let keepsState: Bool
    /// Whether what must happen exactly once is claimed: the source is a schedule, or the host's own log.
    let claims: Bool
    private let rows: StreamRows
    private let store: ExecutionStore?

    /// - Parameter stored: what an earlier run has stored.
    init(_ definition: StreamDefinition, stored: [String: RawJSON], in store: ExecutionStore?) {
        keepsState = definition.isPersistent
        if case .external(let source) = definition.source {
            claims =
                SourceTable.named(source.kind)?.isSchedule ?? false
                || source.kind == "action" && definition.isPersistent
        } else {
            claims = false
        }
        rows = StreamRows(definition, stored: stored)
        self.store = store
    }

    /// Stores rows in one transaction, after everything that was stored before. Any thread.
    func store(_ rows: [StreamRow]) {
        guard !rows.isEmpty else { return }
        store?.store(rows, isDurable: claims)
    }

    // MARK: What an earlier run has stored

    /// Where the stream's clock was.
    var time: Instant? { rows.time }
    /// The values of the steps.
    var values: [String: RawJSON] { rows.values }
    var hasEnded: Bool { rows.hasEnded }

    func position(of place: String) -> RawJSON? { rows.position(place) }

    /// Whether the position of a source survives a restart: always that of a schedule.
    func keepsPosition(of source: ExternalSource) -> Bool {
        keepsState || SourceTable.named(source.kind)?.isSchedule ?? false
    }

    // MARK: Storing

    /// The stream begins: what an earlier definition has left is removed.
    func begin() { store(rows.begin()) }

    func store(position: RawJSON, of place: String) { store(rows.note(position: position, of: place)) }

    /// Stores what has changed in a turn, and further rows.
    func store(_ context: StreamContext, _ more: [StreamRow]) {
        store(rows.changes(context, keepsState: keepsState) + more)
    }

    /// The stream has ended itself.
    func end() { store(rows.end(isKept: keepsState)) }

    /// Everything as it is now, for a successor.
    var kept: [StreamRow] { rows.all }
}

extension SourceDescription {
    /// Whether it emits at times that follow from its definition, whatever the daemon has done.
    var isSchedule: Bool { isSlot && hasPosition }
}
