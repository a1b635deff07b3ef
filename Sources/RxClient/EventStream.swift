public import RxJSON

/// The events of one subscription or streamed execution, for one consumer: `for try await event in stream`.
///
/// The last event is `end`; a lost connection throws instead. Leaving the loop and letting go of the stream
/// unsubscribes, and so withdraws from an execution it was opened with.
public final class EventStream: AsyncSequence, Sendable {
    public typealias Element = StreamEvent
    public typealias Failure = ClientError

    /// The name of the stream on its connection.
    public let name: String
    /// What opening it was answered with: the snapshot and its cursor, or the execution's id and disposition.
    public let reply: RawJSON

    private let client: Client
    private let mailbox: Mailbox

    init(name: String, reply: RawJSON, mailbox: Mailbox, client: Client) {
        self.name = name
        self.reply = reply
        self.mailbox = mailbox
        self.client = client
    }

    deinit {
        client.perform { [name, mailbox] connection in
            guard !mailbox.hasEnded else { return }
            connection.unsubscribe(name)
        }
    }

    /// Asks the daemon to end the stream; what is under way still comes, and `end` after it.
    public func unsubscribe() async throws(ClientError) {
        _ = try await client.ask { [name] connection, completion in
            connection.unsubscribe(name, completion: completion)
            return nil
        }
    }

    public func makeAsyncIterator() -> Iterator {
        Iterator(stream: self)
    }

    /// Takes what waits in one go, so that a busy stream costs no hop to the loop for each event.
    public struct Iterator: AsyncIteratorProtocol {
        fileprivate let stream: EventStream
        private var batch: ArraySlice<StreamEvent> = []

        fileprivate init(stream: EventStream) {
            self.stream = stream
        }

        public mutating func next() async throws(ClientError) -> StreamEvent? {
            try await next(isolation: nil)
        }

        public mutating func next(isolation actor: isolated (any Actor)?) async throws(ClientError) -> StreamEvent? {
            if let event = batch.popFirst() { return event }
            switch await stream.nextBatch() {
            case .events(let events):
                batch = events[...]
                return batch.popFirst()
            case .finished:
                return nil
            case .failed(let error):
                throw error
            }
        }
    }

    private func nextBatch() async -> Mailbox.Batch {
        await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let cancelled = Task.isCancelled
                client.perform { [mailbox] _ in
                    guard !cancelled else { return continuation.resume(returning: .finished) }
                    mailbox.take { continuation.resume(returning: $0) }
                }
            }
        } onCancel: {
            client.perform { [mailbox] _ in mailbox.dismiss() }
        }
    }
}
