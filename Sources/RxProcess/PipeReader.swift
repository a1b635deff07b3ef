internal import RxLoop

/// The daemon's end of an output pipe. Loop thread only.
final class PipeReader<System: ProcessSystem> {
    private let system: System
    private var state: State

    private enum State {
        case closed
        case unwatched(Int32)
        case watched(Int32, System.Loop.Watch)
    }

    /// Takes over the descriptor.
    init(_ descriptor: Int32, in system: System) {
        self.system = system
        state = .unwatched(descriptor)
    }

    var isClosed: Bool {
        if case .closed = state { true } else { false }
    }

    /// Calls `handler` whenever the pipe has content or has ended, until `unwatch` or `close`. Does nothing if it does
    /// so already.
    ///
    /// - Throws: if no memory or no watch is left.
    func watch(_ handler: @escaping () -> Void) throws(SystemCallError) {
        guard case .unwatched(let descriptor) = state else { return }
        state = .watched(descriptor, try system.loop.watchReadable(descriptor, handler))
    }

    /// Stops the calls, so that neither content nor the end of the pipe is reported repeatedly while nobody reads.
    func unwatch() {
        guard case .watched(let descriptor, let watch) = state else { return }
        watch.cancel()
        state = .unwatched(descriptor)
    }

    /// Reads up to `limit` bytes, whether watched or not. The result is valid until the buffer's next use.
    func read(with buffer: ReadBuffer, atMost limit: Int) -> ReadBuffer.Outcome {
        switch state {
        case .closed: .end
        case .unwatched(let descriptor), .watched(let descriptor, _):
            buffer.read(descriptor, atMost: limit, in: system.pipes)
        }
    }

    /// Closes the pipe. A second call has no effect.
    func close() {
        unwatch()
        guard case .unwatched(let descriptor) = state else { return }
        system.pipes.close(descriptor)
        state = .closed
    }
}
