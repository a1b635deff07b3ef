internal import RxRecords
internal import Rx
package import RxHost
package import RxJSON
package import RxStreams
internal import RxSources
package import RxTime

/// The source of a reactor's state: a level, the value at a pointer, each time it has changed.
package final class ReactorSource: StreamSource {
    private struct State {
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
        let subscription = host.listen(toStatesOf: reactor) { [weak self] state in
            var writer = JSONWriter()
            state.write(to: &writer)
            self?.take(RawJSON(unchecked: writer.bytes))
        }
        state.withLock { $0.subscription = subscription }
    }

    private func take(_ whole: RawJSON) {
        let value = pointer.tokens.isEmpty ? whole : whole.value(at: pointer) ?? .null
        let receiver = state.withLock { state -> (any SourceReceiver)? in
            guard state.last != value else { return nil }
            state.last = value
            return state.receiver
        }
        receiver?.receive([SourceElement(value: value, time: clock())])
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
