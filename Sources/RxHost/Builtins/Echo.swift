internal import Rx
internal import RxJSON

/// Answers its input, as it was written.
func echoDefinition(name: String) -> ActionDefinition {
    ActionDefinition(name: name, kind: "builtin", scheduler: .inline, fingerprint: "echo") { .just($0.input) }
}
