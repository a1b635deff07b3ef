internal import RxHost
internal import RxJSON
internal import RxStreams

extension EnabledCondition {
    /// What it reads of the daemon, for pictures. A path is not part of the daemon.
    var parts: [ConditionPart] {
        switch self {
        case .reactor(let name, let program): [ConditionPart(.reactor, name, when: program.text)]
        case .stream(let name, let program): [ConditionPart(.stream, name, when: program.text)]
        case .pathExists: []
        case .all(let parts), .any(let parts): parts.flatMap(\.parts)
        case .not(let part): part.parts
        }
    }
}

extension ConditionPart {
    /// The part as a reference; nil if the client may not know the name.
    func reference(for view: StreamView) -> JSONValue? {
        guard view.shows(name) else { return nil }
        return [
            "kind": .string(kind.rawValue), "name": .string(name),
            "label": .string(view.showsTexts ? StructureText.shortened(when) : ""),
        ]
    }
}
