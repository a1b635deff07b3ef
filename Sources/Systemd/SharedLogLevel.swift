public import Logging
internal import Synchronization

/// The least severe level that loggers write, which a running program can change for all of them. Any thread.
public final class SharedLogLevel: Sendable {
    private let index: Atomic<Int>

    public init(_ level: Logger.Level = .info) { index = Atomic(Self.index(of: level)) }

    public var level: Logger.Level {
        get { Logger.Level.allCases[index.load(ordering: .relaxed)] }
        set { index.store(Self.index(of: newValue), ordering: .relaxed) }
    }

    private static func index(of level: Logger.Level) -> Int { Logger.Level.allCases.firstIndex(of: level) ?? 0 }
}
