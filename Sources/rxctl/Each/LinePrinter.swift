internal import JSONRPC
internal import RxClient
internal import RxJSON

/// Prints what comes of the lines of a run.
///
/// With `--json`, everything goes to stdout, a record a line: `{"line":5,"execution":ID,"value":V}` is an element, and
/// each line ends with exactly one record that has `completed` or `error`. Records of a retry have `retried`, the id of
/// the earlier execution, in place of `line`. Otherwise elements go to stdout and errors to stderr. `--tag` adds the
/// input: as `input`, or before each line of output with a tab.
struct LinePrinter {
    private let session: DaemonSession
    private let isJSON: Bool
    private let isTagged: Bool
    private let isRaw: Bool
    private let isDetached: Bool

    init(_ session: DaemonSession, _ options: LineOptions) {
        self.session = session
        isJSON = session.options.json
        isTagged = options.isTagged
        isRaw = options.style.raw
        isDetached = options.isDetached
    }

    func print(_ result: LineResult, of line: EachLine) {
        guard !isJSON else { return printRecord(result, line) }
        switch result {
        case .element(let value, _):
            if isRaw, let text = value.value().string {
                printText(text, line)
            } else if isTagged {
                printTagged(value.line(forTerminal: StandardStreams.outputIsTerminal), line)
            } else {
                session.print(value)
            }
        case .accepted(let reply):
            printText(ExecuteReply(reply)?.execution ?? "", line)
        case .lost(let count, _):
            session.output.flush()
            let elements = count.map { "\($0) element\($0 == 1 ? " was" : "s were")" } ?? "elements were"
            session.note("\(line.place.text): \(elements) lost")
        case .end(let ending, _):
            if ending.outcome != .done { session.report(ending, of: line.place) }
        }
    }

    private func printText(_ text: String, _ line: EachLine) {
        guard isTagged else { return session.print(unquoted: text) }
        for part in text.split(separator: "\n", omittingEmptySubsequences: false) {
            printTagged(Array(part.utf8), line)
        }
    }

    private func printTagged(_ bytes: [UInt8], _ line: EachLine) {
        session.print(bytes: Array(tag(line).utf8) + [UInt8(ascii: "\t")] + bytes + [UInt8(ascii: "\n")])
    }

    /// The line as it was read; a string without its quotes if the elements are printed so.
    private func tag(_ line: EachLine) -> String {
        guard isRaw, let text = (try? line.input.get())?.value().string else { return line.text }
        return text
    }

    private func printRecord(_ result: LineResult, _ line: EachLine) {
        var writer = JSONWriter()
        writer.beginObject()
        let (key, value) = line.place.member
        writer.key(key)
        writer.value(value)
        if isTagged, let input = try? line.input.get() {
            writer.key("input")
            writer.raw(input)
        }
        switch result {
        case .element(let value, let execution):
            writer.field("execution", execution)
            writer.key("value")
            writer.raw(value)
        case .lost(let count, let execution):
            writer.field("execution", execution)
            if let count {
                writer.field("lost", count)
            } else {
                writer.key("lost")
                writer.null()
            }
        case .accepted(let reply):
            for member in reply.value().object ?? [:] {
                writer.key(member.key)
                writer.value(member.value)
            }
        case .end(let ending, let execution):
            switch ending.outcome {
            case .interrupted: return
            case .done where isDetached: return
            case .done:
                if let execution { writer.field("execution", execution) }
                writer.field("completed", true)
            case .error, .ended, .inputRefused, .usage, .unreachable, .eventsLost, .timedOut, .readerGone, .propagated,
                .faulty, .failed:
                if let execution { writer.field("execution", execution) }
                writer.key("error")
                writer.value(.object(ending.errorObject))
            }
        }
        writer.endObject()
        session.print(RawJSON(unchecked: writer.bytes))
    }
}
