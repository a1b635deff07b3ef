package import Logging

/// A log message about an execution: a line of its standard error, or a message from the daemon.
package struct ProcessNote: Sendable, Equatable {
    package enum Source: Sendable {
        /// A line that the process wrote.
        case standardError
        /// A problem that the daemon reports.
        case daemon
        /// An action of the daemon to end the process early.
        case ending
    }

    package let source: Source
    package let action: String
    package let execution: String
    package let text: String
}

package typealias ProcessLog = @Sendable (ProcessNote) -> Void

extension ProcessNote {
    /// A sink that logs each note to a swift-log logger with the metadata `action` and `execution`.
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
