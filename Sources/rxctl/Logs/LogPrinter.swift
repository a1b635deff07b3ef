internal import RxJSON

/// Turns log records into the lines of stdout.
struct LogPrinter {
    let isJSON: Bool
    /// Whether the records may be of several executions.
    let showsExecutions: Bool

    /// Complete lines without their ends; on a terminal, without control characters.
    func lines(_ record: LogRecord) -> [String] {
        let isTerminal = StandardStreams.outputIsTerminal
        guard !isJSON else {
            return [String(decoding: record.json.line(forTerminal: isTerminal), as: UTF8.self)]
        }
        return record.lines(showsExecution: showsExecutions, width: isTerminal ? TerminalWidth.columns : nil)
            .map { isTerminal ? $0.printable : $0 }
    }
}
