internal import Glibc

/// Both ends of a pipe, with close-on-exec set.
struct Pipe {
    let readEnd: Int32
    let writeEnd: Int32

    /// The end that the daemon keeps. It is nonblocking; the process gets the other end, which blocks as usual.
    enum Kept {
        case readEnd
        case writeEnd
    }

    static func open(keeping kept: Kept) -> Result<Pipe, PipeError> {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { return .failure(PipeError(code: errno)) }
        // Not atomic, unlike pipe2(2), which Glibc does not export to Swift. This is harmless: a process started in
        // between closes all but its own three descriptors.
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        let pipe = Pipe(readEnd: ends[0], writeEnd: ends[1])
        let own = kept == .readEnd ? pipe.readEnd : pipe.writeEnd
        _ = fcntl(own, F_SETFL, fcntl(own, F_GETFL) | O_NONBLOCK)
        return .success(pipe)
    }

    func close() {
        _ = Glibc.close(readEnd)
        _ = Glibc.close(writeEnd)
    }
}

struct PipeError: Error {
    let code: Int32
}

/// The three pipes of one process.
struct StandardPipes {
    let input: Pipe
    let output: Pipe
    let error: Pipe

    static func open() -> Result<StandardPipes, PipeError> {
        var opened: [Pipe] = []
        // The fourth pipe is closed again. It reserves descriptors that the start itself needs (a pidfd, the
        // directory), so that exhaustion appears here.
        for kept in [Pipe.Kept.writeEnd, .readEnd, .readEnd, .readEnd] {
            switch Pipe.open(keeping: kept) {
            case .success(let pipe): opened.append(pipe)
            case .failure(let error):
                for pipe in opened { pipe.close() }
                return .failure(error)
            }
        }
        opened[3].close()
        return .success(StandardPipes(input: opened[0], output: opened[1], error: opened[2]))
    }
}

// Sendable: used only on the loop's thread.
/// One read buffer for the pipes of all processes of a loop.
final class ReadBuffer: @unchecked Sendable {
    /// The most bytes per pipe and turn. Even if each byte is an empty line and therefore an element, the other clients
    /// of the loop lose only milliseconds.
    static let size = 4096
    /// The default capacity of a pipe.
    static let pipeSize = 65_536
    /// The read size for standard error, whose lines each cost a journal record; and for output with backpressure,
    /// where it bounds the number of lines that may wait.
    static let smallSize = 1024
    private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)

    deinit { bytes.deallocate() }

    enum Outcome {
        case bytes(UnsafeRawBufferPointer)
        case nothingYet
        case end
    }

    /// Reads what the pipe contains, up to `limit` bytes. The result is valid until the next call.
    func read(_ descriptor: Int32, atMost limit: Int = size) -> Outcome {
        while true {
            let count = Glibc.read(descriptor, bytes.baseAddress, min(limit, bytes.count))
            if count > 0 { return .bytes(UnsafeRawBufferPointer(rebasing: bytes[..<count])) }
            if count == 0 { return .end }
            switch errno {
            case EINTR: continue
            case EAGAIN: return .nothingYet
            case _: return .end
            }
        }
    }
}
