internal import Glibc

/// Both ends of a pipe, closed on exec.
struct Pipe {
    let readEnd: Int32
    let writeEnd: Int32

    /// The end that stays with the daemon does not block; the other one is a process's, and blocks as it expects.
    enum Kept {
        case readEnd
        case writeEnd
    }

    static func open(keeping kept: Kept) -> Result<Pipe, PipeError> {
        var ends: [Int32] = [-1, -1]
        guard Glibc.pipe(&ends) == 0 else { return .failure(PipeError(code: errno)) }
        // Not atomic, unlike pipe2(2), which Glibc does not show to Swift. No harm: a process started in between
        // closes all but its own three descriptors.
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
        // The fourth is closed again: starting needs descriptors too (a pidfd, the directory), and must not be what
        // finds that there are none left.
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

/// One buffer for the pipes of all processes on a loop.
// Sendable: used on the loop's thread only.
final class ReadBuffer: @unchecked Sendable {
    /// Served per turn at most: were all of it empty lines, each of them an element, it still takes only milliseconds from
    /// the clients that share the loop.
    static let size = 4096
    /// What a pipe holds by default.
    static let pipeSize = 65_536
    /// A portion of standard error, whose lines cost a record of the journal each; and for readers who may hold the work
    /// back, as many lines as may wait for them.
    static let smallSize = 1024
    private let bytes = UnsafeMutableRawBufferPointer.allocate(byteCount: size, alignment: 16)

    deinit { bytes.deallocate() }

    enum Outcome {
        case bytes(UnsafeRawBufferPointer)
        case nothingYet
        case end
    }

    /// What the pipe has now, up to `limit` bytes; valid until the next call.
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
