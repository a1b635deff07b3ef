internal import RxAction
internal import RxRecords
internal import RxStore

/// A page of the log that a reader needs before it can go on.
public struct CatchUpRequest: Sendable {
    /// The output of an execution that the store does not have, or not all of it.
    struct Output: Sendable {
        let execution: ExecutionID
        let name: String
        /// Nil if none of it is kept.
        let snapshot: OutputSnapshot?
    }

    /// The most memory that a page takes, approximately, while it is read.
    public static let bytes = 1 << 20

    let query: LogQuery
    /// The numbers among those of the page whose events may be missing, because they could not be written.
    let holes: [ClosedRange<UInt64>]
    /// The executions with elements that the store may not have.
    let outputs: [Output]
}

extension CatchUpRequest {
    /// The elements of executions that the store does not have, and the gaps between them.
    ///
    /// - Parameters:
    ///   - taken: executions whose elements the reader has already.
    ///   - number: executions whose elements begin later are left out.
    func elements(
        without taken: Set<ExecutionID>, through number: UInt64
    ) -> (events: [LoggedEvent], gaps: [LogPage.Gap]) {
        // A gap of unknown length is that of an execution of which nothing is kept.
        var events: [LoggedEvent] = []
        var gaps: [LogPage.Gap] = []
        for output in outputs where !taken.contains(output.execution) {
            guard let kept = output.snapshot?.kept().elements else {
                gaps.append(gap(nil, query.through...query.through, of: output))
                continue
            }
            let elements = kept.kept
            guard let first = elements.first?.number, first <= number else { continue }
            events += elements.map { element in
                LoggedEvent(
                    number: element.number, time: element.time, name: output.name, execution: output.execution,
                    ordinal: element.ordinal, content: .element(element.text))
            }
            guard kept.missing > 0, let tail = kept.tail?.numbers else { continue }
            // What is missing is older than the element that follows it.
            if let time = query.elementsSince, let next = kept.keptInTail.first, next.time < time { continue }
            let last = kept.keptInTail.first.map { $0.number - 1 } ?? tail.upperBound
            let begin = tail.lowerBound
            guard begin <= last, last > query.after else { continue }
            gaps.append(gap(begin > query.after ? kept.missing : nil, begin...last, of: output))
        }
        return (events, gaps)
    }

    private func gap(_ count: Int?, _ numbers: ClosedRange<UInt64>, of output: Output) -> LogPage.Gap {
        LogPage.Gap(name: output.name, execution: output.execution, count: count, numbers: numbers)
    }
}
