internal import RxJSON

/// What messages and records call a line.
enum LinePlace {
    /// A line of stdin, as an editor counts it, from 1.
    case line(Int)
    /// The input of an earlier execution, by its id.
    case retry(of: String)

    var text: String {
        switch self {
        case .line(let number): "line \(number)"
        case .retry(let execution): "retry of \(ShortID.of(execution))"
        }
    }

    /// The member of a record with `--json`.
    var member: (key: String, value: JSONValue) {
        switch self {
        case .line(let number): ("line", JSONValue(number))
        case .retry(let execution): ("retried", .string(execution))
        }
    }
}
