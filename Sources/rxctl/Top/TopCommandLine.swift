internal import RxProtocol

/// The command line that does, or prints, the same as what is shown.
enum TopCommandLine {
    static func text(_ state: TopState) -> String { ShellWord.command(state.globalWords + words(state)) }

    private static func words(_ state: TopState) -> [String] {
        switch state.mode {
        case .list, .filter: listed(state)
        case .confirm(let request, _): words(request)
        case .reason(let kind, let name, let line): words(.disable(kind, name, reason: line.text))
        case .form(let form): form.words
        case .text(let title, _, _): ["why", title]
        }
    }

    private static func listed(_ state: TopState) -> [String] {
        guard let item = state.selected else { return ["list"] }
        if item.kind == .stream { return ["marbles", item.name] }
        guard item.kind == .action, let time = state.past?.time else { return ["history", item.name] }
        return ["history", item.name, "--until", Timestamp(milliseconds: time).description]
    }

    private static func words(_ request: TopRequest) -> [String] {
        switch request {
        case .cancel(let name): ["cancel", name]
        case .disable(_, let name, let reason): ["disable", name] + (reason.isEmpty ? [] : ["--reason", reason])
        case .enable(_, let name): ["enable", name]
        case .why(_, let name): ["why", name]
        case .execute(let name, _), .form(let name): ["execute", name]
        case .output(let name, let execution): ["output", execution ?? name]
        case .log, .quit: ["history"]
        }
    }
}
