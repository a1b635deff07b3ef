internal import RxHost
internal import RxJSON
internal import RxStreams

/// What the schema of the target of an `on` marks `writeOnly`. A reload may change it.
struct TargetSecrets: Sendable {
    let target: BindingDefinition.Target
    let host: Host

    private var schema: JSONSchema? {
        switch target {
        case .action(let name): host.registry[name]?.schema
        case .reactor(let name): host.registry.reactor(name)?.schema
        }
    }

    /// Whether an input may have any.
    var mayExist: Bool { schema?.hasSecrets ?? false }

    /// The strings and numbers of an input that are secret.
    func texts(in input: RawJSON) -> [String] { schema?.secretTexts(in: input) ?? [] }

    /// An input with `[redacted]` in the place of what is secret.
    func redacting(_ input: RawJSON) -> RawJSON { schema?.redacting(input) ?? input }
}
