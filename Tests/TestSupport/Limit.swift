internal import Testing

/// Runs `body`; if it takes longer than `limit`, records an issue and cancels it.
///
/// Ends the process if `body` then does not return within `grace`: it is blocked, and the run would never end.
func withLimit(
    _ limit: Duration, grace: Duration = .seconds(60), at location: SourceLocation?,
    _ body: @Sendable () async throws -> Void
) async throws {
    try await withoutActuallyEscaping(body) { body in
        try await withThrowingTaskGroup(of: Milestone.self) { group in
            group.addTask { await Milestone.over(after: limit) }
            group.addTask {
                do {
                    return .ended(.success(try await body()))
                } catch {
                    return .ended(.failure(error))
                }
            }
            var ending: Task<Void, Never>?
            defer {
                ending?.cancel()
                group.cancelAll()
            }
            while true {
                switch try await group.next()! {
                case .ended(let result): return try result.get()
                case .over:
                    Issue.record("took longer than \(limit)", sourceLocation: location ?? #_sourceLocation)
                    group.cancelAll()
                    // Not a child, which would be canceled as well.
                    ending = Task(executorPreference: ThreadPool.shared) {
                        guard case .over = await Milestone.over(after: grace) else { return }
                        fatalError("canceled after \(limit), \(Test.current?.name ?? "a test") went on for \(grace)")
                    }
                case .cancelled: break
                }
            }
        }
    }
}

private enum Milestone {
    case ended(Result<Void, any Error>)
    case over
    case cancelled

    static func over(after time: Duration) async -> Milestone {
        (try? await Task.sleep(for: time)) == nil ? .cancelled : .over
    }
}
