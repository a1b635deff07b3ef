internal import RxJSON
internal import RxStreams

extension StepFailure {
    static func invalid(_ fault: String) -> StepFailure {
        let error: JSONValue = ["name": "invalidParams", "message": .string(fault)]
        return StepFailure(name: "invalidParams", message: fault, error: RawJSON(error), mayPass: false)
    }

    static func refusal(_ name: String) -> StepFailure {
        StepFailure(name: name, message: "refused: \(name)", error: RawJSON(["name": .string(name)]))
    }
}
