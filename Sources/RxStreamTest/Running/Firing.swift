internal import RxJSON

/// The outcome of one element at an `on`.
struct Firing {
    /// What became of it: `started`, `queued`, `joined`, `refused`, `failed`, or `reduced`.
    var outcome: String
    /// The input, unless its program failed.
    var input: RawJSON?
    /// The reason of a refusal or a failure.
    var reason: String?
    /// The revision of the reactor's state.
    var revision: Int?

    /// `{"outcome":…,"input":…}`, with the reason under the name of the outcome.
    var json: RawJSON {
        var writer = JSONWriter()
        writer.object { writer in
            writer.field("outcome", outcome)
            if let input { writer.field("input", input) }
            if let reason, outcome == "refused" { writer.field("refused", reason) }
            if let reason, outcome == "failed" { writer.field("failed", reason) }
            if let revision { writer.field("revision", revision) }
        }
        return RawJSON(unchecked: writer.bytes)
    }
}
