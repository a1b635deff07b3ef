internal import RxStreams

extension Parameter.Kind {
    /// Whether a value of this type of TOML can be one.
    func accepts(_ content: TOMLNode.Content) -> Bool {
        switch (self, content) {
        case (.json, _), (.flag, .boolean), (.boolean, .boolean), (.count, .integer), (.duration, .string): true
        case (.text, .string), (.choice, .string), (.path, .string), (.pointer, .string), (.program, .string): true
        case (.texts, .string), (.texts, .array), (.choices, .string), (.choices, .array), (.words, .array): true
        case (.action, .string), (.reactor, .string), (.stream, .string): true
        case (.actions, .string), (.actions, .array): true
        case (.source, .string), (.source, .table), (.sources, .array), (.named, .table): true
        case (.steps, .array), (.each, .table), (.table, .table): true
        case (.time, .string), (.zone, .string): true
        case (.time(.at), .time(let time)): time.kind == .dateTime
        default: false
        }
    }
}
