internal import JSONRPC
internal import RxJSON
internal import RxProtocol

/// The way to answer one request. Used once, on the loop.
struct Reply {
    /// Nil for a notification, which is never answered.
    let id: RequestID?
    let output: ConnectionOutput
    let batch: Batch?
    /// Whether a batch without room may refuse the result: nothing has happened but that it was read.
    var mayRefuse = false

    /// Why there is no room for a result that may be refused; nil if there is.
    var refusal: RPCError? { mayRefuse ? batch?.refusal : nil }

    /// Whether there is no room for elements, which a result may leave out.
    var isWithoutRoom: Bool { batch?.refusal != nil }

    /// Answers with a result. `result` writes into the connection's outbox and must not use the outbox in any other
    /// way.
    func success(_ result: (inout JSONWriter) -> Void) {
        guard let id else { return }
        if let refusal { return failure(refusal) }
        send { writer in
            MessageWriter.response(id, into: &writer, result: result)
        }
    }

    /// Answers with a result of about so many bytes, which gets its memory at once if it is long: growth needs twice as
    /// much.
    func success(about bytes: Int, _ result: (inout JSONWriter) -> Void) {
        guard bytes >= SharedText.least, batch == nil else { return success(result) }
        var writer = JSONWriter(reserving: bytes)
        result(&writer)
        success(writer.bytes)
    }

    /// Answers with the text of a result, which is not copied.
    func success(_ text: [UInt8]) {
        success(SplitText([text]) { $0.raw(SplitText.placeholder) })
    }

    /// Answers with a result that is written when the peer has room for it; `result` holds what it writes until then.
    ///
    /// - Parameter bytes: about how long the result is.
    func success(bytes: Int, later result: @escaping (inout JSONWriter) -> Void) {
        guard let id else { return }
        guard batch == nil else { return success(result) }
        output.answer(bytes: bytes) { MessageWriter.response(id, into: &$0, result: result) }
    }

    /// Answers with a result that contains texts which other connections may send too.
    func success(_ result: SplitText) {
        guard let id else { return }
        if let refusal { return failure(refusal) }
        var head = JSONWriter()
        MessageWriter.response(id, into: &head) { _ in }
        // The response ends where the result does, but for its last brace.
        let brace = head.bytes.removeLast()
        if let batch {
            batch.answer(SplitText(head: head.bytes, result, tail: [brace]))
        } else {
            output.answer(SplitText(head: head.bytes, result, tail: [brace, UInt8(ascii: "\n")]))
        }
    }

    /// Answers with an error.
    func failure(_ error: RPCError) {
        guard let id else { return }
        send { writer in
            MessageWriter.error(id, error, into: &writer)
        }
    }

    /// Ends a request whose answer nobody will read.
    func drop() {
        if id != nil { send { _ in } }
    }

    private func send(_ body: (inout JSONWriter) -> Void) {
        if let batch {
            batch.answer(body)
        } else {
            output.answer(body)
        }
    }
}

/// The answers of a batch, which are sent together once the last one is there. Until then, its user is charged with
/// them.
final class Batch {
    private let output: ConnectionOutput
    private var remaining: Int
    /// The text before `bytes`, in pieces: one buffer for all of it would be copied as it grows, and share nothing.
    private var pieces: [[UInt8]] = []
    /// The bytes of `pieces`.
    private var written = 0
    private var bytes: [UInt8] = [UInt8(ascii: "[")]
    /// The bytes of all answers so far, which the output has been charged with.
    private var collected = 0
    /// Bytes of answers after which further requests are refused: 64 large answers would make a line of hundreds of
    /// megabytes.
    private let limit: Int

    init(output: ConnectionOutput, answers: Int, limit: Int) {
        self.limit = limit
        self.output = output
        remaining = answers
    }

    /// Why there is no room for a further answer; nil if there is. A request is refused before it has an effect; then
    /// its answer is never refused.
    var refusal: RPCError? {
        guard collected < limit else {
            return RPCError(.tooLarge, message: "the answers of the batch before this one are too large") { writer in
                writer.field("limit", "outboxBytes")
                writer.field("value", limit)
            }
        }
        return output.refusal(ofKeeping: 0)
    }

    func answer(_ body: (inout JSONWriter) -> Void) {
        add { batch in
            // Written in place: an answer may be long.
            var writer = JSONWriter(reserving: 0)
            swap(&writer.bytes, &batch.bytes)
            body(&writer)
            swap(&writer.bytes, &batch.bytes)
        }
    }

    /// An answer with texts in it that other connections may send too.
    func answer(_ text: SplitText) {
        add { batch in
            for (part, text) in zip(text.frame, text.texts) {
                batch.bytes += part
                if text.count < SharedText.least {
                    batch.bytes += text
                } else {
                    batch.endPiece()
                    batch.pieces.append(text)
                    batch.written += text.count
                }
            }
            batch.bytes += text.frame[text.frame.count - 1]
        }
    }

    private func add(_ write: (Batch) -> Void) {
        guard output.hasReader else { return drop() }
        if collected > 0 { bytes.append(UInt8(ascii: ",")) }
        write(self)
        if bytes.count >= SharedText.least { endPiece() }
        remaining -= 1
        guard remaining == 0 else {
            let count = written + bytes.count - collected
            collected += count
            return output.collect(count)
        }
        output.collect(-collected)
        bytes += [UInt8(ascii: "]"), UInt8(ascii: "\n")]
        output.answer(line: pieces + [bytes])
        (pieces, bytes) = ([], [])
    }

    private func endPiece() {
        written += bytes.count
        pieces.append(bytes)
        bytes = []
    }

    /// Nobody will read the answers.
    private func drop() {
        output.collect(-collected)
        (pieces, bytes, written, collected) = ([], [], 0, 0)
        remaining -= 1
        if remaining == 0 { output.answer { _ in } }
    }
}
