internal import RxJSON
internal import RxStreams

extension StepFailure {
    /// A failure of work with these facts, which has the daemon's name and message unless they are given.
    init(mocked facts: JSONObject) {
        let name = facts["name"]?.string ?? "workFailed"
        let message =
            facts["message"]?.string ?? facts["exit"]?.int.map { "the process exited with \($0)" } ?? "the work failed"
        var error: JSONObject = ["name": .string(name), "message": .string(message)]
        for fact in facts { error[fact.key] = fact.value }
        self.init(name: name, message: message, error: RawJSON(.object(error)))
    }

    static func invalid(_ fault: String) -> StepFailure {
        let error: JSONValue = ["name": "invalidParams", "message": .string(fault)]
        return StepFailure(name: "invalidParams", message: fault, error: RawJSON(error), mayPass: false)
    }

    static func refusal(_ name: String) -> StepFailure {
        StepFailure(name: name, message: "refused: \(name)", error: RawJSON(["name": .string(name)]))
    }
}
