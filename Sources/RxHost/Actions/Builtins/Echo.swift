internal import RxJSON

/// Answers its input, as it was written.
func echoDefinition(name: String) -> ActionDefinition {
    ActionDefinition(name: name, kind: "builtin", fingerprint: "echo") { .success($0) }
}
