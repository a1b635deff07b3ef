internal import RxProtocol

/// Where a stream's events wait for its consumer; on the loop's thread only.
// @unchecked Sendable: `EventStream` and its iterators carry the reference and touch it on the loop alone.
final class Mailbox: @unchecked Sendable {
    /// What a consumer finds: all that waited, or that nothing will come any more.
    enum Batch: Sendable {
        case elements([StreamElement])
        case finished
        case failed(ClientError)
    }

    private enum Ending {
        case completed
        case lost(ClientError)
    }

    private var buffer = EventBuffer()
    private var ending: Ending?
    private var waiter: ((Batch) -> Void)?

    /// The newest one, resumed or not.
    private(set) var reconnection: Reconnection?

    func receive(_ delivery: StreamDelivery) {
        switch delivery {
        case .event(let event):
            buffer.append(event)
            if event.channel == .end {
                ending = .completed
            }
        case .lost(let error):
            ending = .lost(error)
        }
        serve()
    }

    /// The stream goes on over another connection; its reader is told in its place if something was missed.
    func reconnected(_ reconnection: Reconnection) {
        self.reconnection = reconnection
        if !reconnection.isResumed {
            buffer.append(gap: reconnection)
            serve()
        }
    }

    /// Nothing more will come, and no `end` either.
    func finish() {
        ending = .completed
        serve()
    }

    /// Hands the next batch to `waiter`, now or when there is one. A second waiter sends the first one away.
    func take(_ waiter: @escaping (Batch) -> Void) {
        dismiss()
        self.waiter = waiter
        serve()
    }

    /// Tells who waits that nothing will come: its task was cancelled.
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
            case .lost(let error): batch = .failed(error)
            }
        }
        self.waiter = nil
        waiter(batch)
    }
}
