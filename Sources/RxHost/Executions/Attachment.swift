public import RxRecords

/// The past of an execution for a reader that joins it: with the events after `cursor` it has no gap and no duplicate.
public struct Attachment: Sendable {
    /// The same as `events`, which nobody has copied.
    package let recorded: RecordedEvents
    /// The elements that are no longer there, if any.
    public let lost: LostElements?
    /// Events up to here are among those above or do not concern the execution.
    public let cursor: UInt64
    /// The final record, if the execution has ended.
    public let end: ExecutionRecord?
    /// The event of its error, if the execution has ended with one.
    public let failure: HostEvent?
    /// Where the reader goes on if `drain` does not return everything after `cursor`: see `EventLog.position`.
    let position: CatchUpPosition
}

extension Attachment {
    /// - Parameters:
    ///   - record: the record of the execution at `cursor`.
    ///   - action: the action of the execution.
    ///   - recording: the events that are kept.
    ///   - published: how many events of the execution were published up to `cursor`.
    ///   - cursor: the cursor of the newest event.
    init(
        _ record: ExecutionRecord, of action: Hosted, _ recording: SharedRecording, published: KindCounts,
        cursor: UInt64
    ) {
        let kept = recording.snapshot
        recorded = kept?.events ?? RecordedEvents()
        let missing = record.elements - recording.elements
        let last = (recorded.first?.cursor ?? cursor + 1) - 1
        lost = kept?.lost ?? (missing > 0 ? LostElements(count: missing, first: 1, last: last) : nil)
        self.cursor = cursor
        end = record.state.isFinal ? record : nil
        failure = record.error.map { error in
            HostEvent(
                cursor: cursor, time: record.endedAt ?? record.queuedAt, source: action,
                execution: record.id, ordinal: 1, change: .failure(error, of: record))
        }
        position = CatchUpPosition(cursor: cursor, seen: [published])
    }

    /// The elements, and the records of attempts, so far, oldest first.
    public var events: [HostEvent] { Array(recorded) }

    /// Where a reader begins that receives the events above in portions, with the error if the execution has ended, and
    /// then what follows.
    package var start: CatchUpPosition {
        var position = position
        position.first = recorded
        if let failure { position.first.append(failure) }
        return position
    }

    /// What an observer of the execution receives first.
    var past: [ExecutionEvent] {
        let elements = recorded.compactMap { event -> ExecutionEvent? in
            guard case .element(let element) = event.change else { return nil }
            return .element(element)
        }
        let start = lost.map { [ExecutionEvent.lost($0.count)] } ?? []
        return start + elements + (end.map { [.ended($0.error)] } ?? [])
    }
}
