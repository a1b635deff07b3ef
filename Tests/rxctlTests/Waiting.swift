import Testing

/// Waits until `condition` holds; fails the test if it does not in time.
func eventually(
    _ what: String, sourceLocation: SourceLocation = #_sourceLocation, _ condition: () async throws -> Bool
) async throws {
    let deadline = ContinuousClock.now + .seconds(50)
    while try await !condition() {
        try #require(ContinuousClock.now < deadline, "waited in vain until \(what)", sourceLocation: sourceLocation)
        try await Task.sleep(for: .milliseconds(2))
    }
}

/// Runs a script, and again while its result is not as expected, ten times at most: rxctl waits a moment for some
/// answers, such as that to `server.hello`, and a busy machine may stop the daemon of the test for longer.
func bash(_ script: String, socket: String, until isExpected: (ScriptResult) -> Bool) async -> ScriptResult {
    var result = await bash(script, socket: socket)
    for _ in 0..<9 where !isExpected(result) { result = await bash(script, socket: socket) }
    return result
}
