import Logging
import Testing

@testable import Systemd

@Suite("SharedLogLevel")
struct SharedLogLevelTests {
    private func logger(_ level: SharedLogLevel) -> Logger {
        Logger(label: "host") {
            JournalLogHandler(label: $0, identifier: "rxd", destination: .standardError, level: level)
        }
    }

    @Test("a change takes effect in every logger that shares it, also in copies", arguments: Logger.Level.allCases)
    func shared(level: Logger.Level) {
        let shared = SharedLogLevel(.info)
        let first = logger(shared)
        let copy = first
        let second = logger(shared)
        #expect([first, copy, second].map(\.logLevel) == [.info, .info, .info])
        shared.level = level
        #expect([first, copy, second].map(\.logLevel) == [level, level, level])
    }

    @Test("a logger with a level of its own keeps it, and others do not get it")
    func own() {
        let shared = SharedLogLevel(.info)
        var first = logger(shared)
        let second = logger(shared)
        first.logLevel = .debug
        shared.level = .error
        #expect(first.logLevel == .debug)
        #expect(second.logLevel == .error)
    }
}
