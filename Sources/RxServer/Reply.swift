internal import JSONRPC
internal import RxJSON
internal import RxProtocol

/// The way to answer one request. Used once, on the loop.
struct Reply {
    /// Nil for a notification, which is never answered.
    let id: RequestID?
    let output: ConnectionOutput
    let batch: Batch?

    /// Answers with a result. `result` writes into the connection's outbox and must not use the outbox in any other
    /// way.
    func success(_ result: (inout JSONWriter) -> Void) {
        guard let id else { return }
        if let batch, batch.isFull {
            failure(
                RPCError(.tooLarge, message: "the answers of the batch before this one are too large") { writer in
                    writer.field("limit", "outboxBytes")
                    writer.field("value", batch.limit)
                })
            return
        }
        send { writer in
            MessageWriter.response(id, into: &writer, result: result)
        }
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
        guard batch == nil else { return success { result.write(to: &$0) } }
        var head = JSONWriter()
        MessageWriter.response(id, into: &head) { _ in }
        // The response ends where the result does, but for its last brace.
        let brace = head.bytes.removeLast()
        output.answer(SplitText(head: head.bytes, result, tail: [brace, UInt8(ascii: "\n")]))
    }

    /// Answers with an error.
    func failure(_ error: RPCError) {
        guard let id else { return }
        send { writer in
            MessageWriter.error(id, error, into: &writer)
        }
    }

    private func send(_ body: (inout JSONWriter) -> Void) {
        if let batch {
            batch.answer(body)
        } else {
            output.answer(body)
        }
    }
}

/// The answers of a batch, which are sent together once the last one is there.
final class Batch {
    private let output: ConnectionOutput
    private var remaining: Int
    private var writer = JSONWriter()
    private var isEmpty = true
    /// Bytes of answers after which further results are refused: 64 large ones would make a line of hundreds of
    /// megabytes.
    let limit: Int

    var isFull: Bool { writer.bytes.count >= limit }

    init(output: ConnectionOutput, answers: Int, limit: Int) {
        self.limit = limit
        self.output = output
        remaining = answers
        writer.bytes.append(UInt8(ascii: "["))
    }

    func answer(_ body: (inout JSONWriter) -> Void) {
        var own = JSONWriter()
        body(&own)
        if !isEmpty { writer.bytes.append(UInt8(ascii: ",")) }
        writer.bytes.append(contentsOf: own.bytes)
        isEmpty = false
        remaining -= 1
        guard remaining == 0 else { return }
        writer.bytes.append(UInt8(ascii: "]"))
        output.answer { [bytes = writer.bytes] writer in writer.bytes.append(contentsOf: bytes) }
    }
}
