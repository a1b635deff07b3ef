internal import Rx
internal import RxJSON

/// Fails, with the input's `message` if it has one and the whole input as a fact.
func failDefinition(name: String) -> ActionDefinition {
    ActionDefinition(name: name, kind: "builtin", scheduler: .inline, fingerprint: "fail") { invocation in
        let input = invocation.input.value()
        return .error(
            WorkFailure(message: input["message"]?.string ?? "failed as asked", facts: ["input": input]))
    }
}
