internal import Rx
internal import RxAction
internal import RxStore

/// The output of a host's executions that is not in the store, or not all of it. Used with the event log's lock held.
struct OutputsOfHost {
    /// The output of an execution that the store does not have, or not all of it.
    struct Unwritten {
        enum Output {
            case inFlight(RetainedOutput)
            /// The output of an execution that has ended.
            case ended(OutputSnapshot)
        }

        let execution: ExecutionID
        let name: String
        /// Nil if none of it is kept.
        let output: Output?

        private var extent: RetainedElements.Extent? {
            switch output {
            case nil: nil
            case .inFlight(let output)?: output.extent
            case .ended(let snapshot)?: snapshot.elements.extent
            }
        }

        /// The number of the last element; 0 without one.
        var lastNumber: UInt64 { extent?.numbers.upperBound ?? 0 }

        /// The elements as a page of the log takes them; nil if they begin after `end`. What cannot be in the page is
        /// not looked at.
        func elements(after cursor: UInt64, through end: UInt64) -> LogOutput? {
            guard let extent, extent.numbers.lowerBound <= end else { return nil }
            var read: (@Sendable (UInt64) -> LogOutput.Elements)?
            if extent.numbers.upperBound > cursor {
                let snapshot: OutputSnapshot
                switch output {
                case nil: return nil
                case .inFlight(let output)?: snapshot = output.now(isOver: false)
                case .ended(let ended)?: snapshot = ended
                }
                read = { snapshot.elements(after: $0) }
            }
            return LogOutput(
                execution: execution, name: name, first: extent.numbers.lowerBound, tail: extent.tail, read: read)
        }
    }

    /// The memory of all outputs in flight; each output keeps it up to date.
    var cost = 0
    /// Executions in flight whose output has changed since it was stored.
    private var changed: [HostedExecution] = []
    /// Whether `takeWish` will return true.
    private(set) var isWished = false
    /// The output of executions that have ended, until the store has answered for their end.
    private var ended: [ExecutionID: (name: String, output: OutputSnapshot)] = [:]
    private var endings = Queue<(id: ExecutionID, number: UInt64)>()
    /// The most endings of forgotten outputs that stay: fewer are not worth a search.
    private static let endingsKept = 1000

    /// The output of `execution` has changed for the first time since it was stored.
    mutating func note(_ execution: HostedExecution) {
        isWished = isWished || changed.isEmpty
        changed.append(execution)
    }

    /// Whether somebody has to call `takeChanged` in a second. Returned once.
    mutating func takeWish() -> Bool {
        guard isWished else { return false }
        isWished = false
        return true
    }

    /// A second has passed: the executions whose output is to be stored now. `takeWish` follows if others remain.
    mutating func takeChanged() -> [(execution: HostedExecution, output: StorableOutput)] {
        var taken: [(execution: HostedExecution, output: StorableOutput)] = []
        changed.removeAll { execution in
            guard let output = execution.output, output.isUnstored else { return true }
            guard let storable = output.takeForStore() else { return false }
            taken.append((execution, storable))
            return true
        }
        isWished = !changed.isEmpty
        return taken
    }

    /// An execution has ended, by the event with this number.
    mutating func end(_ execution: HostedExecution, number: UInt64) {
        guard let output = execution.output?.now(isOver: true), !output.isEmpty else { return }
        ended[execution.id] = (execution.action.name, output)
        endings.append((execution.id, number))
    }

    /// The store has answered for the events up to `number`.
    mutating func written(through number: UInt64) {
        while let first = endings.first, first.number <= number {
            endings.removeFirst()
            ended[first.id] = nil
        }
    }

    /// The store has refused the ends of executions.
    mutating func forget(_ executions: [ExecutionID]) {
        for id in executions { ended[id] = nil }
        guard endings.count > 2 * ended.count + Self.endingsKept else { return }
        let left = endings.removeAll().filter { ended[$0.id] != nil }
        for ending in left { endings.append(ending) }
    }

    /// The output of an execution that has ended, if the store has not answered for it yet.
    func ended(_ id: ExecutionID) -> OutputSnapshot? { ended[id]?.output }

    /// The output of all of these.
    var unwritten: [Unwritten] {
        ended.map { Unwritten(execution: $0.key, name: $0.value.name, output: .ended($0.value.output)) }
    }
}
