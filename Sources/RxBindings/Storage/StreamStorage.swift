internal import RxJSON
internal import RxRecords
internal import RxStore
internal import RxStreams
internal import RxTime

/// What of a stream survives a restart, and when it is stored.
///
/// It belongs to the stream's turn, but for what is constant and `store`.
final class StreamStorage: Sendable {
    /// Whether the state of the steps is stored.
    let keepsState: Bool
    /// Whether the stream stores its state only together with the position of a source.
    let keepsPositions: Bool
    /// Whether each element that comes out of the steps is owed to each `on`, which fires it exactly once; see
    /// `OwedFirings`. So it is where a position is stored that the elements depend on: that of a schedule, or of the
    /// host's own log.
    let owes: Bool
    /// If the source is another one than that of the earlier run, the places of the sources that had positions.
    let obsoletePlaces: [String]
    private let rows: StreamRows
    private let store: ExecutionStore?

    /// - Parameters:
    ///   - stored: what an earlier run has stored.
    ///   - handing: the streams that may pass elements to it.
    init(
        _ definition: StreamDefinition, stored: [String: RawJSON], handing: HandingStreams, in store: ExecutionStore?
    ) {
        keepsState = definition.isPersistent
        let leaves = definition.source.leaves
        keepsPositions =
            definition.keepsOwnPosition || definition.isPersistent && leaves.contains(where: handing.handsOff)
        owes = definition.owesItself || leaves.contains(where: handing.stores)
        rows = StreamRows(definition, stored: stored)
        obsoletePlaces = rows.startsOver ? StreamRows.places(of: stored) : []
        self.store = store
    }

    /// Stores rows in one transaction, after everything that was stored before. Any thread.
    func store(_ rows: [StreamRow]) {
        guard !rows.isEmpty else { return }
        store?.store(rows, isDurable: owes)
    }

    // MARK: What an earlier run has stored

    /// Where the stream's clock was.
    var time: Instant? { rows.time }
    /// The values of the steps.
    var values: [String: RawJSON] { rows.values }
    var hasEnded: Bool { rows.hasEnded }

    /// Whether the source is another one than that of the earlier run: then nothing of that is owed or remembered.
    var startsOver: Bool { rows.startsOver }

    func position(of place: String) -> RawJSON? { rows.position(place) }

    /// Whether the position of a source survives a restart: always that of a schedule.
    func keepsPosition(of source: ExternalSource) -> Bool {
        keepsState || SourceTable.named(source.kind)?.isSchedule ?? false
    }

    // MARK: Storing

    /// The stream begins: what an earlier definition has left is removed, with further rows.
    func begin(_ more: [StreamRow]) { store(rows.begin() + more) }

    func store(position: RawJSON, of place: String) { store(rows.note(position: position, of: place)) }

    /// Stores the state of the steps, the positions that belong to it, and further rows, in one transaction.
    ///
    /// - Parameter hasEnded: whether the stream has ended itself.
    func commit(_ context: StreamContext, _ positions: [String: RawJSON], hasEnded: Bool, _ more: [StreamRow] = []) {
        let moved = positions.flatMap { rows.note(position: $0.value, of: $0.key) }
        let end = hasEnded && keepsState && !rows.hasEnded ? rows.end() : []
        store(moved + rows.changes(context, keepsState: keepsState) + end + more)
    }

    /// Everything as it is now, for a successor.
    var kept: [StreamRow] { rows.all }
}

extension SourceDescription {
    /// Whether it emits at times that follow from its definition, whatever the daemon has done.
    var isSchedule: Bool { isSlot && hasPosition }
}
