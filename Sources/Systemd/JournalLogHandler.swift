public import Logging

/// A swift-log handler that writes metadata as journal fields, for queries such as `journalctl RXD_ACTION=deploy`.
///
/// The metadata key `action` becomes `RXD_ACTION`, `peer-uid` becomes `RXD_PEER_UID`, and so on. The key `message-id`
/// is special: 32 hexadecimal digits, with or without dashes, become `MESSAGE_ID`. Without a journal, records are lines
/// on standard error.
public struct JournalLogHandler: LogHandler {
    /// The lowest level that is logged: that of `level` in `init`, unless it is set for this logger.
    public var logLevel: Logger.Level {
        get { ownLevel ?? shared.level }
        set { ownLevel = newValue }
    }
    /// The logger's own metadata.
    public var metadata: Logger.Metadata = [:]
    /// Provides metadata for each record; overrides `metadata` and is overridden by that of the call.
    public var metadataProvider: Logger.MetadataProvider?

    private var ownLevel: Logger.Level?
    private let shared: SharedLogLevel
    private let label: String
    private let identifier: String
    private let destination: LogDestination

    /// Creates a handler.
    ///
    /// - Parameters:
    ///   - label: the value of `RXD_LOGGER`.
    ///   - identifier: the value of `SYSLOG_IDENTIFIER`, for `journalctl -t`.
    ///   - destination: where records go.
    ///   - level: the lowest level that is logged. A change takes effect in every logger that shares it.
    public init(
        label: String, identifier: String, destination: LogDestination = .detected,
        level: SharedLogLevel = SharedLogLevel()
    ) {
        shared = level
        self.label = label
        self.identifier = identifier
        self.destination = destination
    }

    /// Whether a journal is running on this machine.
    public static var isJournalAvailable: Bool { JournalSocket() != nil }

    /// Installs the handler for every `Logger` of the process. Call it once, early in `main`.
    public static func bootstrap(
        identifier: String, level: Logger.Level = .info, destination: LogDestination = .detected
    ) {
        LoggingSystem.bootstrap { label in
            var handler = JournalLogHandler(label: label, identifier: identifier, destination: destination)
            handler.logLevel = level
            return handler
        }
    }

    /// The logger's own metadata for a key.
    public subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    /// Writes one record, or has the destination's thread write it. May wait briefly for a busy journal if the
    /// destination has none, but never blocks for long.
    public func log(event: LogEvent) {
        guard let queue = destination.queue else { return write(event, merged(with: event)) }
        var handler = self
        if let metadataProvider {
            // It may read values of the calling task.
            handler.metadata.merge(metadataProvider.get()) { $1 }
            handler.metadataProvider = nil
        }
        let isOrdinary = event.level < .notice && event.metadata?[Self.messageIDKey] == nil
        queue.add(bytes: Self.approximateBytes(of: event), isOrdinary: isOrdinary) { [handler] in
            handler.write(event, handler.merged(with: event))
        }
    }

    /// The memory that a record takes while it waits.
    private static func approximateBytes(of event: LogEvent) -> Int {
        var bytes = 512 + event.message.description.utf8.count
        for case .string(let value) in (event.metadata ?? [:]).values { bytes += value.utf8.count }
        return bytes
    }

    private func write(_ event: LogEvent, _ metadata: Logger.Metadata) {
        guard let journal = destination.journal else { return writeLine(event, metadata) }
        switch journal.send(record(event, metadata)) {
        case .taken, .lost: break
        case .absent: writeLine(event, metadata)
        }
    }

    /// Merges metadata. The call overrides the provider, which overrides the logger.
    private func merged(with event: LogEvent) -> Logger.Metadata {
        var all = metadata
        if let provided = metadataProvider?.get() { all.merge(provided) { $1 } }
        if let given = event.metadata { all.merge(given) { $1 } }
        if let error = event.error { all["error"] = "\(error)" }
        return all
    }

    private func record(_ event: LogEvent, _ metadata: Logger.Metadata) -> JournalRecord {
        var record = JournalRecord()
        record.append("MESSAGE", event.message.description)
        record.append("PRIORITY", "\(event.level.priority)")
        record.append("SYSLOG_IDENTIFIER", identifier)
        record.append("CODE_FILE", event.file)
        record.append("CODE_LINE", "\(event.line)")
        record.append("CODE_FUNC", event.function)
        record.append(metadata: "logger", label)
        for (key, value) in metadata {
            if key == Self.messageIDKey, let id = Self.messageID(value.description) {
                record.append("MESSAGE_ID", id)
            } else {
                record.append(metadata: key, value.description)
            }
        }
        return record
    }

    private func writeLine(_ event: LogEvent, _ metadata: Logger.Metadata) {
        var line = "\(identifier): \(event.level): \(LogLine.escaped(event.message.description))"
        for (key, value) in metadata.sorted(by: { $0.key < $1.key }) where key != Self.messageIDKey {
            line += " \(key)=\(LogLine.quoted(value.description))"
        }
        destination.standardError.write(priority: event.level.priority, line: line)
    }

    private static let messageIDKey = "message-id"

    /// Normalizes a message id to the journal's 32 lowercase digits; nil for any other text.
    static func messageID(_ text: String) -> String? {
        let digits = text.lowercased().utf8.filter { $0 != UInt8(ascii: "-") }
        let isHexadecimal = digits.allSatisfy {
            (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || (UInt8(ascii: "a")...UInt8(ascii: "f")).contains($0)
        }
        return digits.count == 32 && isHexadecimal ? String(decoding: digits, as: UTF8.self) : nil
    }
}

extension Logger.Level {
    /// The syslog priority of the level.
    var priority: Int {
        switch self {
        case .trace, .debug: 7
        case .info: 6
        case .notice: 5
        case .warning: 4
        case .error: 3
        case .critical: 2
        }
    }
}
