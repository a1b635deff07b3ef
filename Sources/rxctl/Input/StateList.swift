internal import ArgumentParser
internal import RxStreams

/// `--state a,b`
struct StateList {
    static let all = ["queued", "executing"] + ended
    static let ended = ["completed", "failed", "cancelled", "timedOut", "interrupted"]

    let states: [String]

    /// - Throws: `ValidationError` with the state that it may have been.
    init(_ text: String) throws {
        states = text.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
        for state in states where !Self.all.contains(state) {
            let near = nearest(to: state, among: Self.all).map { "did you mean \($0)?" }
            throw ValidationError("no such state: \(state); \(near ?? "write \(Self.all.joined(separator: ", "))")")
        }
    }
}
