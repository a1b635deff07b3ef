internal import RxProtocol

/// The backlog of one stream between the loop and its consumer's task; on the loop's thread only.
// @unchecked Sendable: `EventStream` and its iterators carry the reference and touch it on the loop alone.
final class Inbox: @unchecked Sendable {
    /// What `take` delivers: the whole backlog, or the end of the stream.
    enum Batch: Sendable {
        case elements([StreamElement])
        case finished
        case failed(ClientError)
    }

    private enum Ending {
        case completed
        case failed(ClientError)
    }

    private var buffer = EventBuffer()
    private var ending: Ending?
    private var waiter: ((Batch) -> Void)?

    /// The newest reconnection, resumed or not; nil while the first connection lasts.
    private(set) var reconnection: Reconnection?

    func receive(_ delivery: LinkDelivery) {
        switch delivery {
        case .event(let event):
            buffer.append(event)
            if event.channel == .end { ending = .completed }
        case .reconnected(let reconnection, _):
            self.reconnection = reconnection
            // A stream that continues without a gap needs no element of its own.
            guard !reconnection.isResumed else { return }
            buffer.append(gap: reconnection)
        case .failed(let error):
            ending = .failed(error)
        case .finished:
            ending = .completed
        }
        serve()
    }

    /// Calls `waiter` with the next batch, now or when there is one. An earlier waiter receives `finished`.
    func take(_ waiter: @escaping (Batch) -> Void) {
        dismiss()
        self.waiter = waiter
        serve()
    }

    /// Completes the waiter, whose task was canceled, with `finished`.
    func dismiss() {
        let waiter = self.waiter
        self.waiter = nil
        waiter?(.finished)
    }

    private func serve() {
        guard let waiter else { return }
        let batch: Batch
        if !buffer.isEmpty {
            batch = .elements(buffer.take())
        } else {
            switch ending {
            case nil: return
            case .completed: batch = .finished
            case .failed(let error): batch = .failed(error)
            }
        }
        self.waiter = nil
        waiter(batch)
    }
}
