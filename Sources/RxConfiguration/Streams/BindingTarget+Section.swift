internal import RxStreams

extension BindingDefinition.Target {
    /// The section of the configuration.
    var section: String {
        switch self {
        case .action: "action"
        case .reactor: "reactor"
        }
    }
}
