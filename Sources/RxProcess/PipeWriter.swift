internal import Glibc
internal import RxLoop

/// Standard input before the process exists: the bytes that did not fit into the pipe.
struct PendingInput: Sendable {
    /// nil if everything was written and the pipe is closed.
    fileprivate let descriptor: Int32?
    fileprivate let rest: ArraySlice<UInt8>

    /// Writes what fits into the pipe. Its read end is still open here, so EPIPE cannot occur.
    init(_ pipe: Pipe, bytes: [UInt8]) {
        rest = bytes[PipeWriter.write(bytes[...], to: pipe.writeEnd)...]
        descriptor = rest.isEmpty ? nil : pipe.writeEnd
        if rest.isEmpty { Glibc.close(pipe.writeEnd) }
    }

    /// Closes the pipe, because no process was started.
    func close() {
        if let descriptor { Glibc.close(descriptor) }
    }
}

/// Writes the rest of a process's standard input as the process reads it, and closes it. A process may leave its input
/// unread. Loop thread only.
final class PipeWriter {
    private var rest: ArraySlice<UInt8>
    private var watch: Watch?

    /// Takes over the pipe. Closes it at once if no watch is left.
    init(_ input: PendingInput, on loop: EventLoop) {
        rest = input.rest
        guard let descriptor = input.descriptor else { return }
        // Report a closed read end as EPIPE instead of SIGPIPE, whatever the process's signal settings.
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
        watch = try? loop.watch(fd: descriptor, .writable) { [self] _ in write() }
        if watch == nil { Glibc.close(descriptor) }
    }

    /// Closes the pipe. A second call has no effect.
    func close() {
        guard let watch else { return }
        watch.cancel()
        Glibc.close(watch.fd)
        self.watch = nil
        rest = []
    }

    private func write() {
        guard let watch else { return }
        rest = rest.dropFirst(Self.write(rest, to: watch.fd))
        if rest.isEmpty { close() }
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
}
