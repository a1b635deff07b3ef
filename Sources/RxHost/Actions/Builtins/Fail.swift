internal import RxRecords
internal import RxJSON

/// Fails, with the input's `message` if it has one and the whole input as a fact.
func failDefinition(name: String) -> ActionDefinition {
    ActionDefinition(name: name, kind: "builtin", fingerprint: "fail") { input in
        let input = input.value()
        return .failure(
            WorkFailure(message: input["message"]?.string ?? "failed as requested", facts: ["input": input]))
    }
}
