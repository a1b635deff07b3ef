package import Logging

/// Something to log about an execution: a line of its standard error, or a remark of the daemon's own.
package struct ProcessNote: Sendable, Equatable {
    package enum Source: Sendable {
        /// Written by the process.
        case standardError
        /// Something is not as it should be, said by the daemon.
        case daemon
        /// What the daemon does to end the process before its time.
        case ending
    }

    package let source: Source
    package let action: String
    package let execution: String
    package let text: String
}

package typealias ProcessLog = @Sendable (ProcessNote) -> Void

extension ProcessNote {
    /// A sink that gives each note's execution to a swift-log logger as the fields `action` and `execution`.
    package static func sink(to logger: Logger) -> ProcessLog {
        { note in
            let level: Logger.Level =
                switch note.source {
                case .standardError: .info
                case .ending: .notice
                case .daemon: .warning
                }
            logger.log(
                level: level, "\(note.text)", metadata: ["action": "\(note.action)", "execution": "\(note.execution)"])
        }
    }
}
