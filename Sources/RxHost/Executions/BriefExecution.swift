public import RxRecords
public import RxAction
public import RxJSON
internal import Rx

/// A brief execution, which ended before anyone could observe it: its outcome and its events, which are made only where
/// a reader wants them.
///
/// There are many thousands in a second. So it is one object, which the log, the action's ring, and the requester
/// share: copying it part by part would cost more than the execution.
public final class BriefExecution: @unchecked Sendable {
    /// The identity of the execution: a UUIDv7.
    public let id: ExecutionID
    /// The action that executed it.
    public let action: Hosted
    let causes: Causes
    /// The input without what its schema marks `writeOnly`; nil if it is too large to keep.
    let input: RawJSON?
    /// The element; nil if the execution failed.
    public let element: RawJSON?
    private let failure: Failure?
    /// Whether the action was disabled meanwhile.
    let disables: Bool
    /// Approximate bytes of memory.
    let cost: Int
    // Unchecked: set once, before anyone but its maker knows the object.
    /// The cursor before its first event.
    @exclusivity(unchecked) var base: UInt64 = 0

    /// A class because it is rare: an execution that completes carries a nil reference only.
    private final class Failure: Sendable {
        let error: ExecutionError
        /// Approximate bytes of memory.
        let cost: Int

        init(_ error: ExecutionError) {
            self.error = error
            cost = error.cost
        }
    }

    init(
        id: ExecutionID, action: Hosted, causes: Causes, input: consuming RawJSON?,
        result: consuming Result<RawJSON, WorkFailure>, disables: Bool
    ) {
        var cost = 2 * HostEvent.ownCost + causes.cost + (input?.utf8.count ?? 0)
        self.id = id
        self.action = action
        self.causes = causes
        self.input = input
        self.disables = disables
        switch consume result {
        case .success(let element):
            cost += element.utf8.count
            self.element = element
            failure = nil
        case .failure(let error):
            element = nil
            let failure = Failure(.failed(error))
            cost += failure.cost
            self.failure = failure
        }
        self.cost = cost
    }

    /// With a longer element or error, the record takes its place once it has ended: that has no elements, and its
    /// error is shortened.
    private static let bytesKept = 1024

    /// Whether its record should be kept rather than itself.
    var isLong: Bool { (element?.utf8.count ?? failure?.cost ?? 0) > Self.bytesKept }

    /// Why the execution failed; nil if it did not.
    public var error: ExecutionError? { failure?.error }

    var record: ExecutionRecord {
        var record = ExecutionRecord(
            id: id, action: action.name, causes: causes, input: input, state: error?.state ?? .completed,
            queuedAt: time, elements: element == nil ? 0 : 1)
        record.startedAt = time
        record.endedAt = time
        record.error = error?.shortened(to: ExecutionRecord.errorBytesKept)
        return record
    }

    /// It was accepted, started and ended within this millisecond.
    var time: Int64 { id.milliseconds }
}

extension BriefExecution {
    /// Why it failed; nil if it completed.
    package var end: ExecutionError? { failure?.error }
}
