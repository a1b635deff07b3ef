internal import RxAction
internal import RxStore

/// A page of the log that a reader needs before it can go on.
public struct CatchUpRequest: Sendable {
    /// The most memory that a page takes, approximately, with what is held between it and the next one.
    public static let bytes = 1 << 20

    let query: LogQuery
    /// The numbers among those of the page whose events may be missing, because they could not be written.
    let holes: [ClosedRange<UInt64>]
    /// Executions in flight that have elements, of which none are kept.
    let unkept: [(execution: ExecutionID, name: String)]
}

extension StoredPosition.Reading {
    /// Takes the gaps that end after the page before, and those of executions of whose elements none are kept.
    mutating func takeGaps(_ request: CatchUpRequest) -> [LogPage.Gap] {
        let end = request.query.through
        let new = request.unkept.filter { !unkept.contains($0.execution) }
        unkept = Set(request.unkept.map(\.execution))
        defer { restGaps = [] }
        return restGaps
            + new.map { LogPage.Gap(name: $0.name, execution: $0.execution, count: nil, numbers: end...end) }
    }
}
