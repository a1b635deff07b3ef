internal import Glibc
internal import RxLoop

/// The daemon's end of an output pipe. Loop thread only.
final class PipeReader {
    private let loop: EventLoop
    private var state: State

    private enum State {
        case closed
        case unwatched(Int32)
        case watched(Watch)
    }

    /// Takes over the descriptor.
    init(_ descriptor: Int32, on loop: EventLoop) {
        self.loop = loop
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
        state = .watched(try loop.watch(fd: descriptor, .readable) { _ in handler() })
    }

    /// Stops the calls, so that neither content nor the end of the pipe is reported repeatedly while nobody reads.
    func unwatch() {
        guard case .watched(let watch) = state else { return }
        watch.cancel()
        state = .unwatched(watch.fd)
    }

    /// Reads up to `limit` bytes, whether watched or not. The result is valid until the buffer's next use.
    func read(with buffer: ReadBuffer, atMost limit: Int) -> ReadBuffer.Outcome {
        switch state {
        case .closed: .end
        case .unwatched(let descriptor): buffer.read(descriptor, atMost: limit)
        case .watched(let watch): buffer.read(watch.fd, atMost: limit)
        }
    }

    /// Closes the pipe. A second call has no effect.
    func close() {
        unwatch()
        guard case .unwatched(let descriptor) = state else { return }
        Glibc.close(descriptor)
        state = .closed
    }
}
