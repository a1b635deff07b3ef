internal import JSONRPC
internal import RxClient
internal import RxJSON
internal import RxProtocol

/// Prints what is kept of the output of one execution, and what follows until its end.
final class PrintedOutput {
    struct Style {
        let elements: Bool
        let errors: Bool
        /// Prints strings without their quotes.
        let raw: Bool
    }

    /// The longest time for which the daemon waits for more before it is asked again.
    private static let wait = "60s"

    private let session: DaemonSession
    private let execution: String
    private let style: Style
    private var elements = 0
    private var errorBytes = 0
    /// Whether the last byte printed ended a line.
    private var isAtLineStart = true

    init(_ session: DaemonSession, of execution: String, _ style: Style) {
        self.session = session
        self.execution = execution
        self.style = style
    }

    /// - Parameter follow: whether to go on until the execution ends.
    func start(follow: Bool) {
        request(wait: false) { [self] result in
            let answer = result.value()
            guard answer["kept"]?.bool == true else {
                return session.finish(.notKept("no output of \(execution) is kept", execution: execution))
            }
            take(result, answer)
            if follow { return self.follow(answer) }
            noteEnd(answer)
            finish(.done)
        }
    }

    private func follow(_ answer: JSONValue) {
        if let state = answer["state"]?.string, state != "queued", state != "executing" {
            // The answer before the end may have been made before the last output came.
            return request(wait: false) { [self] result in
                take(result, result.value())
                noteEnd(answer)
                finish(WaitCommand.ending(of: answer))
            }
        }
        request(wait: true) { [self] result in
            let answer = result.value()
            take(result, answer)
            self.follow(answer)
        }
    }

    private func request(wait: Bool, then body: @escaping (RawJSON) -> Void) {
        var params: JSONObject = [
            "execution": .string(execution), "elements": JSONValue(elements), "stderr": JSONValue(errorBytes),
        ]
        if wait { params["wait"] = .string(Self.wait) }
        session.link.call(.executionOutput, RawJSON(.object(params))) { [self] reply in
            if wait, case .failure(.refused(let error)) = reply, error.named == .timedOut {
                return request(wait: true, then: body)
            }
            session.succeed(body)(reply)
        }
    }

    private func finish(_ ending: Ending) {
        if !isAtLineStart, StandardStreams.outputIsTerminal { session.print(bytes: [UInt8(ascii: "\n")]) }
        session.finish(ending)
    }

    private func take(_ result: RawJSON, _ answer: JSONValue) {
        elements = answer["elements"]?.int ?? elements
        errorBytes = answer["stderr"]?.int ?? errorBytes
        if session.options.json {
            session.print(result)
            return
        }
        _ = result.withView { view in view["output"]?.forEachElement { print($0) } }
    }

    private func print(_ part: JSONView) {
        if let elements = part["elements"] {
            if style.elements { elements.forEachElement { print(element: $0) } }
        } else if let bytes = part.value().standardError {
            if style.errors { print(errors: bytes) }
        } else if let missing = part["missing"] {
            note(missing.value())
        }
    }

    /// Prints an element as it was yielded.
    private func print(element: JSONView) {
        // An element begins a line, whatever was written to stderr before.
        if !isAtLineStart { session.print(bytes: [UInt8(ascii: "\n")]) }
        isAtLineStart = true
        if style.raw, let text = element.string {
            session.print(unquoted: text)
        } else if StandardStreams.outputIsTerminal {
            session.print(RawJSON(unchecked: Array(element.raw)))
        } else {
            session.print(bytes: Array(element.raw) + [UInt8(ascii: "\n")])
        }
    }

    private func print(errors bytes: [UInt8]) {
        isAtLineStart = bytes.last == UInt8(ascii: "\n")
        session.print(bytes: bytes)
    }

    /// The output of an execution in flight is stored now and then: a daemon that is killed loses what came last.
    private func noteEnd(_ answer: JSONValue) {
        guard answer["state"] == "interrupted", !session.options.json else { return }
        session.output.flush()
        session.note("the execution was interrupted; what came last may be missing")
    }

    private func note(_ missing: JSONValue) {
        let isOfElements = missing["stream"]?.string == "elements"
        guard isOfElements ? style.elements : style.errors else { return }
        // After everything printed so far: it is about this place.
        session.output.flush()
        let bytes = missing["bytes"]?.int.map { "\($0) bytes" }
        guard isOfElements else {
            return session.note("\(bytes ?? "bytes") of stderr are missing here: they were not kept")
        }
        let count = missing["elements"]?.int ?? 0
        let size = bytes.map { " (\($0))" } ?? ""
        session.note(
            count == 1
                ? "1 element\(size) is missing here: it was not kept"
                : "\(count) elements\(size) are missing here: they were not kept")
    }
}
