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
