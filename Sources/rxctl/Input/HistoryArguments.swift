internal import ArgumentParser

/// `--before 42`, a revision, or `--before 0198…`, an execution's id.
enum HistoryPosition: ExpressibleByArgument {
    case revision(Int)
    case execution(String)

    init?(argument: String) {
        if let revision = Int(argument), revision >= 0 {
            self = .revision(revision)
        } else if let id = ExecutionArgument.id(argument) {
            self = .execution(id)
        } else {
            return nil
        }
    }

    var text: String {
        switch self {
        case .revision(let revision): String(revision)
        case .execution(let id): id
        }
    }
}

extension PastTime: ExpressibleByArgument {
    init?(argument: String) { self.init(argument) }
}
