/// The executions that the overlap rule counts together: those of one group, or those without one. Guarded by the
/// gate's lock.
final class ExecutionGroup {
    static let most = Overlap.mostGroups

    /// Nil for the executions without a group.
    let name: String?
    /// The executions in flight. A canceled one stays until its work is gone.
    @exclusivity(unchecked) var inFlight = ExecutionList()
    /// Non-empty only while the width is used up or the condition is false.
    @exclusivity(unchecked) var waiting = ExecutionList()

    init(_ name: String?) { self.name = name }

    var isIdle: Bool { inFlight.isEmpty && waiting.isEmpty }

    /// The execution that an input joins; nil if there is none.
    var joinable: AnyExecution? { waiting.first ?? inFlight.first(where: \.isExecuting) }

    /// Ends all waiting executions. The caller releases the returned means after the lock.
    func evictWaiting(_ end: ExecutionEnd) -> (steps: [ActionStep], means: [AnyExecution.Means]) {
        if waiting.isEmpty { return ([], []) }
        let evicted = waiting.removeAll()
        for execution in evicted { execution.phase = .ended(end) }
        return (evicted.map { .end($0, end) }, evicted.map { $0.takeMeans() })
    }
}
