/// A configuration key that a release took away.
///
/// For one release, the key is a warning, not a fault: a fault would keep the service down during an upgrade. Then its
/// row goes, and the key is unknown.
struct RetiredKey: Sendable {
    /// The path of the old key; `*` stands for any name.
    let old: [String]
    /// What to use instead, as the end of the sentence "is retired since VERSION and ignored: …".
    let new: String
    /// The first release that ignores it.
    let since: String

    static let all = [
        RetiredKey(
            old: ["reactor", "*", "builtin"],
            new:
                "this reactor is not hosted, and its kept states stay; the example Examples/TodoDaemon hosts "
                + "the task list",
            since: "0.1.0")
    ]

    /// The row for a key, if the key is retired.
    static func row(of path: [String]) -> RetiredKey? {
        all.first { row in
            row.old.count == path.count && zip(row.old, path).allSatisfy { $0 == "*" || $0 == $1 }
        }
    }

    var message: String { "is retired since \(since) and ignored: \(new)" }
}
