import Testing

/// How long anything here may take on a busy machine. Nothing waits this long unless it is going to fail.
let patience = Duration.seconds(60)

/// Waits until `condition` holds; fails the test if it does not within `patience`.
func eventually(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + patience
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            Issue.record("waited in vain until \(what)", sourceLocation: sourceLocation)
            throw WaitedInVain(for: what)
        }
        try await Task.sleep(for: .milliseconds(5))
    }
}

struct WaitedInVain: Error {
    let what: String

    init(for what: String) {
        self.what = what
    }
}
