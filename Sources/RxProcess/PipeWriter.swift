internal import Glibc
internal import RxLoop

/// Writes a process's standard input and closes it. A process may leave its input unread.
struct PipeWriter {
    private var state: State

    private enum State {
        case closed
        /// Bytes that did not fit into the pipe before the process started.
        case waiting(Int32, ArraySlice<UInt8>)
        case open(Writing)
    }

    /// Writes what fits into the pipe. Its read end is still open here, so EPIPE cannot occur.
    init(_ pipe: Pipe, bytes: [UInt8]) {
        let rest = bytes[Self.write(bytes[...], to: pipe.writeEnd)...]
        if rest.isEmpty {
            Glibc.close(pipe.writeEnd)
            state = .closed
        } else {
            state = .waiting(pipe.writeEnd, rest)
        }
    }

    /// Writes the rest as the process reads it. Loop thread only.
    mutating func begin(on loop: EventLoop) {
        guard case .waiting(let descriptor, let rest) = state else { return }
        // Report a closed read end as EPIPE instead of SIGPIPE, whatever the process's signal settings.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        state = .open(Writing(descriptor, rest, on: loop))
    }

    mutating func close() {
        switch state {
        case .closed: break
        case .waiting(let descriptor, _): Glibc.close(descriptor)
        case .open(let writing): writing.close()
        }
        state = .closed
    }

    /// Returns the number of bytes written; all of them if the reader is gone.
    fileprivate static func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int {
        var rest = bytes
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count >= 0 {
                rest = rest.dropFirst(count)
            } else if errno == EAGAIN {
                break
            } else if errno != EINTR {
                return bytes.count
            }
        }
        return bytes.count - rest.count
    }

    private final class Writing {
        private var rest: ArraySlice<UInt8>
        private var watch: Watch?

        init(_ descriptor: Int32, _ rest: ArraySlice<UInt8>, on loop: EventLoop) {
            self.rest = rest
            watch = try? loop.watch(fd: descriptor, .writable) { [self] _ in write() }
            if watch == nil { Glibc.close(descriptor) }
        }

        private func write() {
            guard let watch else { return }
            rest = rest.dropFirst(PipeWriter.write(rest, to: watch.fd))
            if rest.isEmpty { close() }
        }

        func close() {
            guard let watch else { return }
            watch.cancel()
            Glibc.close(watch.fd)
            self.watch = nil
            rest = []
        }
    }
}
