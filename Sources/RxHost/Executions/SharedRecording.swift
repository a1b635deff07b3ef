internal import RxJSON

/// The recording of an execution, until nobody can join the execution any more. Used with the event log's lock held.
struct SharedRecording {
    /// Nil for an execution that nobody can join, or once nobody can join it any more.
    private var recording: Recording?
    /// Requests that joined, or that wait for their acceptance to be stored, and have not read the recording yet.
    private var holds: Int

    /// - Parameters:
    ///   - isNeeded: whether others may join the execution.
    ///   - isHeld: whether the request that made it is going to read the recording.
    ///   - memory: that of the user at the execution's origin; nil without a user.
    init(isNeeded: Bool, isHeld: Bool = false, for memory: UserMemory? = nil) {
        recording = isNeeded ? Recording(for: memory) : nil
        holds = isHeld ? 1 : 0
    }

    var exists: Bool { recording != nil }
    var isHeld: Bool { holds > 0 }
    /// Approximate bytes of memory.
    var cost: Int { recording?.cost ?? 0 }
    /// The number of elements among the events that are kept: the newest ones.
    var elements: Int { recording?.elements ?? 0 }
    /// The events that are kept, and the elements that were dropped before them; nil without a recording.
    var snapshot: (events: RecordedEvents, lost: LostElements?)? { recording?.snapshot }

    /// Calls `body` with the elements that are kept, oldest first, until it returns false.
    func forEachElement(_ body: (RawJSON) -> Bool) {
        guard let recording else { return }
        for event in recording.snapshot.events {
            if case .element(let element) = event.change, !body(element) { return }
        }
    }

    /// - Parameter total: the cost of all recordings of the host.
    mutating func add(_ event: HostEvent, total: inout Int) { recording?.add(event, total: &total) }

    /// The execution has ended, and its key refers to it: `ExecutionKeys` bounds the recordings of these.
    mutating func retire() { recording?.leaveUser() }

    mutating func hold() { holds += 1 }

    mutating func release() { holds -= 1 }

    /// - Parameter total: the cost of all recordings of the host.
    mutating func drop(total: inout Int) {
        recording?.removeAll(total: &total)
        recording = nil
    }
}
