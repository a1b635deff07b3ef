/// Both ends of a pipe.
struct Pipe: Equatable {
    let readEnd: Int32
    let writeEnd: Int32

    /// The end that the daemon keeps; the process gets the other one.
    enum Kept {
        case readEnd
        case writeEnd
    }

    func close(in pipes: some PipeSystem) {
        pipes.close(readEnd)
        pipes.close(writeEnd)
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

    static func open(in pipes: some PipeSystem) -> Result<StandardPipes, PipeError> {
        var opened: [Pipe] = []
        // The fourth pipe is closed again. It reserves descriptors that the start itself needs (a pidfd, the
        // directory), so that exhaustion appears here.
        for kept in [Pipe.Kept.writeEnd, .readEnd, .readEnd, .readEnd] {
            switch pipes.open(keeping: kept) {
            case .success(let pipe): opened.append(pipe)
            case .failure(let error):
                for pipe in opened { pipe.close(in: pipes) }
                return .failure(error)
            }
        }
        opened[3].close(in: pipes)
        return .success(StandardPipes(input: opened[0], output: opened[1], error: opened[2]))
    }
}
