/// When an action accepts inputs, or a stream runs: the value of `enabled`. Without one, it always does.
public indirect enum EnabledCondition: Sendable, Hashable {
    /// While the program holds for the reactor's state.
    case reactor(String, when: StreamProgram)
    /// While the program holds for the stream's last element; not before its first.
    case stream(String, when: StreamProgram)
    /// While there is a file or a directory at this absolute path.
    case pathExists(String)
    /// While all of these hold.
    case all([EnabledCondition])
    /// While one of these holds.
    case any([EnabledCondition])
    /// While this does not hold.
    case not(EnabledCondition)

    /// The names of the streams whose elements decide.
    public var streams: Set<String> {
        switch self {
        case .stream(let name, _): [name]
        case .reactor, .pathExists: []
        case .all(let parts), .any(let parts): parts.reduce(into: []) { $0.formUnion($1.streams) }
        case .not(let part): part.streams
        }
    }

    /// The names of the reactors whose states decide.
    public var reactors: Set<String> {
        switch self {
        case .reactor(let name, _): [name]
        case .stream, .pathExists: []
        case .all(let parts), .any(let parts): parts.reduce(into: []) { $0.formUnion($1.reactors) }
        case .not(let part): part.reactors
        }
    }
}
