internal import RxJSON

/// The inputs of an action that are still to be done, from its records: those whose last execution has failed.
///
/// An execution that somebody canceled decides nothing, because the one before it still stands; one that was canceled
/// by the end of the daemon counts as failed. An input that is not kept cannot be recognized, so each of its failures
/// counts.
struct FailedInputs {
    private enum State {
        case notExecuted, completed, failed, inFlight
    }

    private struct Input {
        let value: RawJSON?
        var state = State.notExecuted
        /// The id of the last failure.
        var failure = ""
        /// The id of the last execution, whatever became of it.
        var last = ""
    }

    /// By the compact text of the input, or by the execution's id if the input is not kept.
    private var inputs: [String: Input] = [:]
    /// How many records were added.
    private(set) var executions = 0

    /// Adds a record of `execution.list`; older ones come first.
    mutating func add(_ record: JSONValue) {
        guard let execution = record["execution"]?.string else { return }
        executions += 1
        let value = record["input"].map { RawJSON($0) }
        var input = inputs[value?.text ?? execution] ?? Input(value: value)
        input.last = execution
        switch record["state"]?.string {
        case "completed": input.state = .completed
        case "failed", "timedOut", "interrupted": (input.state, input.failure) = (.failed, execution)
        case "cancelled" where record["error"]?["data"]?["cause"]?.string == "stopping":
            (input.state, input.failure) = (.failed, execution)
        case "cancelled": break
        case _: input.state = .inFlight
        }
        inputs[value?.text ?? execution] = input
    }

    /// In the order of their failures.
    func lines() -> [EachLine] {
        let failed = inputs.values.filter { $0.state == .failed }.sorted { $0.failure < $1.failure }
        return failed.enumerated().map { index, input in
            // Whoever retries the same failure, also at the same time, brings about one execution.
            EachLine(index + 1, retrying: input.value, of: input.failure, key: "retry-\(input.last)")
        }
    }
}
