internal import ArgumentParser

/// `--before 42`, a revision, or `--before 0198…`, an execution's id or a part of one.
enum HistoryPosition: ExpressibleByArgument {
    case revision(Int)
    case execution(String)
    /// How an id begins or ends; one of digits only is a revision.
    case part(String)

    init?(argument: String) {
        if let revision = Int(argument), revision >= 0 {
            self = .revision(revision)
        } else if let id = ExecutionArgument.id(argument) {
            self = .execution(id)
        } else if IDPart(argument) != nil {
            self = .part(argument)
        } else {
            return nil
        }
    }

    var text: String {
        switch self {
        case .revision(let revision): String(revision)
        case .execution(let id): id
        case .part(let part): part
        }
    }
}
