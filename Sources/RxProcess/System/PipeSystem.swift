internal import Glibc

/// Pipes between the daemon and its processes.
protocol PipeSystem: Sendable {
    /// Opens a pipe with close-on-exec set. The end that the daemon keeps does not block; the other one does.
    func open(keeping kept: Pipe.Kept) -> Result<Pipe, PipeError>
    /// Reads what the pipe contains, as far as it fits into the buffer.
    func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> PipeContent
    /// Returns the number of bytes written; all of them if the reader is gone.
    func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int
    /// Lets `write` on this thread report that the reader is gone instead of raising SIGPIPE, whatever the process's
    /// signal settings.
    func blockBrokenPipeSignal()
    func close(_ descriptor: Int32)
}

/// What one read from a pipe found.
enum PipeContent: Equatable {
    /// This many bytes, at least one.
    case bytes(Int)
    case nothingYet
    case end
}

struct LinuxPipes: PipeSystem {
    func open(keeping kept: Pipe.Kept) -> Result<Pipe, PipeError> {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { return .failure(PipeError(code: errno)) }
        // Not atomic, unlike pipe2(2), which Glibc does not export to Swift. This is harmless: a process started in
        // between closes all but its own three descriptors.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let pipe = Pipe(readEnd: ends[0], writeEnd: ends[1])
        let own = kept == .readEnd ? pipe.readEnd : pipe.writeEnd
        _ = fcntl(own, F_SETFL, fcntl(own, F_GETFL) | O_NONBLOCK)
        return .success(pipe)
    }

    func read(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> PipeContent {
        while true {
            let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .end }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .nothingYet
            case _: return .end
            }
        }
    }

    func write(_ bytes: ArraySlice<UInt8>, to descriptor: Int32) -> Int {
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

    func blockBrokenPipeSignal() {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signals, nil)
    }

    func close(_ descriptor: Int32) {
        Glibc.close(descriptor)
    }
}
