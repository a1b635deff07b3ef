internal import RxRecords
internal import Rx
package import RxHost
package import RxJSON
internal import RxStore
package import RxStreams
internal import RxSources
package import RxTime

/// The source of a reactor's state: a level, the value at a pointer, each time it has changed.
package final class ReactorSource: StreamSource {
    /// Microseconds between two elements after which a stream that led to the second begins a new chain: a slow cycle
    /// is no loop.
    private static let closeness: Int64 = 10_000_000

    private struct State {
        /// When the last element was emitted.
        var emitted = Instant.beginning
        var subscription: (any Disposable)?
        var last: RawJSON?
        var receiver: (any SourceReceiver)?
    }

    private let reactor: String
    private let pointer: JSONPointer
    private let host: Host
    private let clock: @Sendable () -> Instant
    private let state = Locked(State())

    package init(_ reactor: String, pointer: JSONPointer, host: Host, clock: @escaping @Sendable () -> Instant) {
        self.reactor = reactor
        self.pointer = pointer
        self.host = host
        self.clock = clock
    }

    package func start(after position: RawJSON?, into receiver: any SourceReceiver) {
        state.withLock { $0.receiver = receiver }
        let subscription = host.listen(toRevisionsOf: reactor) { [weak self] state, causes in
            var writer = JSONWriter()
            state.write(to: &writer)
            self?.take(RawJSON(unchecked: writer.bytes), causes)
        }
        state.withLock { $0.subscription = subscription }
    }

    private func take(_ whole: RawJSON, _ causes: Causes?) {
        let value = pointer.tokens.isEmpty ? whole : whole.value(at: pointer) ?? .null
        let now = clock()
        let (receiver, isSlow) = state.withLock { state -> ((any SourceReceiver)?, Bool) in
            guard state.last != value else { return (nil, false) }
            defer { state.emitted = now }
            state.last = value
            return (state.receiver, state.emitted.adding(microseconds: Self.closeness) < now)
        }
        let isNewChain = isSlow && causes?.links.contains { if case .stream = $0 { true } else { false } } ?? false
        receiver?.receive([SourceElement(value: value, time: now, causes: isNewChain ? nil : causes?.stored)])
    }

    package func settled(through position: RawJSON?) {}

    package func stop() {
        let subscription = state.withLock { state in
            state.receiver = nil
            return state.subscription
        }
        subscription?.dispose()
    }
}
