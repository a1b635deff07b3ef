/// What passed a step.
// Unchecked: belongs to the stream's turn; others read figures that may be a moment old.
public final class StepCounter: @unchecked Sendable {
    // Unchecked: of what a turn touches, it touches nothing twice at once.
    /// The elements that the step took.
    @exclusivity(unchecked) public internal(set) var taken = 0
    /// The elements that it emitted.
    @exclusivity(unchecked) public internal(set) var emitted = 0
    /// The elements that wait in the step, and their bytes.
    public internal(set) var waiting = 0
    var waitingBytes = 0
    /// The elements that wait, if the step is an executing one.
    let passages = WaitingPassages()
    /// Whether the step, in all of its groups, holds as many elements or bytes as it may.
    var isFull: Bool { waiting >= StreamLimits.pendingElements || waitingBytes >= StreamLimits.pendingBytes }
    /// The failures of the step.
    public internal(set) var failed = 0
    /// Receives what the step emits, while a client taps it.
    @exclusivity(unchecked) public var tap: ((StreamElement) -> Void)?
}
