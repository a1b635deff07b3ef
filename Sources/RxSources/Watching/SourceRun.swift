internal import Synchronization

/// What a started source has, for calls from any thread.
final class SourceRun<Run: AnyObject & Sendable>: Sendable {
    private let run = Mutex<Run?>(nil)

    func get() -> Run? { run.withLock { $0 } }
    func set(_ run: Run) { self.run.withLock { $0 = run } }

    func take() -> Run? {
        run.withLock { run in
            defer { run = nil }
            return run
        }
    }
}
