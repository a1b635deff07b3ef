import Glibc
import TestSupport
import Testing

@testable import Systemd

@Suite("StandardError", .ownThreads)
struct StandardErrorTests {
    /// A pipe that nobody reads until the test does.
    struct Pipe {
        let reading: Int32
        let writing: Int32

        init() {
            var ends: [Int32] = [0, 0]
            precondition(pipe(&ends) == 0)
            (reading, writing) = (ends[0], ends[1])
        }

        func read() -> String {
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            _ = fcntl(reading, F_SETFL, O_NONBLOCK)
            let count = max(0, Glibc.read(reading, &bytes, bytes.count))
            return String(decoding: bytes[..<count], as: UTF8.self)
        }

        func close() {
            Glibc.close(reading)
            Glibc.close(writing)
        }
    }

    @Test("a line has its priority in front only where the journal reads it")
    func priority() {
        let pipe = Pipe()
        StandardError(fileDescriptor: pipe.writing, showsPriority: false).write(priority: 4, line: "careful")
        StandardError(fileDescriptor: pipe.writing, showsPriority: true).write(priority: 4, line: "careful")
        #expect(pipe.read() == "careful\n<4>careful\n")
        pipe.close()
    }

    @Test("a long line arrives whole")
    func longLine() {
        let pipe = Pipe()
        let line = String(repeating: "x", count: 20_000)
        StandardError(fileDescriptor: pipe.writing, showsPriority: false).write(priority: 6, line: line)
        #expect(pipe.read() == line + "\n")
        pipe.close()
    }

    @Test("a reader that reads nothing does not hold the writer")
    func fullPipe() {
        let pipe = Pipe()
        let output = StandardError(fileDescriptor: pipe.writing, showsPriority: false)
        let start = ContinuousClock.now
        output.write(priority: 6, line: String(repeating: "x", count: 1_000_000))
        // It would be for good, or a moment for each of some 250 pieces.
        #expect(ContinuousClock.now - start < .seconds(20))
        #expect(pipe.read().utf8.count < 1_000_000)
        pipe.close()
    }

    @Test("standard error is the journal when JOURNAL_STREAM names its device and inode")
    func journalStream() async {
        await #expect(processExitsWith: .success) {
            unsetenv("JOURNAL_STREAM")
            precondition(!StandardError.isJournal)
            var status = stat()
            fstat(STDERR_FILENO, &status)
            setenv("JOURNAL_STREAM", "\(status.st_dev):\(status.st_ino + 1)", 1)
            precondition(!StandardError.isJournal)
            setenv("JOURNAL_STREAM", "\(status.st_dev):\(status.st_ino)", 1)
            precondition(StandardError.isJournal)
        }
    }
}
