import Glibc
import TestSupport
import Testing
import RxLoop

@testable import rxctl

@Suite(.ownThreads)
struct InputLinesTests {
    /// Everything that `InputLines` finds in `text`, a line a string; tooLong as "#".
    private func read(_ text: String, limit: Int = 100) async throws -> [String] {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        // Small enough for the pipe to hold it all.
        try #require(text.utf8.count < 65_536)
        _ = Array(text.utf8).withUnsafeBytes { write(ends[1], $0.baseAddress, $0.count) }
        close(ends[1])
        let (loop, descriptor) = (try EventLoop(), ends[0])
        let found = await withCheckedContinuation { continuation in
            loop.execute {
                let lines = InputLines(descriptor: descriptor, limit: limit) {
                    (fd: Int32, body: @escaping () -> Void) throws(SystemCallError) -> Watch in
                    try loop.watch(fd: fd, .readable) { _ in body() }
                }
                var found: [String] = []
                lines.onMore = {
                    while true {
                        switch lines.next() {
                        case .line(let text, let number):
                            found.append("\(number):" + String(decoding: text, as: UTF8.self))
                        case .tooLong(let number): found.append("\(number)#")
                        case .none: return lines.readMore()
                        case .end: return continuation.resume(returning: found)
                        case .failed(let errno): return continuation.resume(returning: found + ["errno \(errno)"])
                        }
                    }
                }
                lines.onMore()
            }
            loop.start(name: "lines")
        }
        loop.stop()
        loop.join()
        close(descriptor)
        return found
    }

    @Test("lines are numbered as an editor does; blank ones count and are skipped, the last one needs no newline")
    func numbers() async throws {
        #expect(try await read("a\n\n \t\r\nb\r\nc") == ["1:a", "4:b\r", "5:c"])
        #expect(try await read("") == [])
        #expect(try await read("\n\n") == [])
        #expect(try await read("x\n") == ["1:x"])
    }

    @Test("a line beyond the limit is reported and dropped, wherever it stands, and the others are kept")
    func tooLong() async throws {
        let long = String(repeating: "x", count: 20_000)
        #expect(try await read("\(long)\na\n\(long)\nb\n\(long)") == ["1#", "2:a", "3#", "4:b", "5#"])
        #expect(try await read("1234\n12345\n123456", limit: 5) == ["1:1234", "2:12345", "3#"])
    }

    @Test("an unreadable input is reported")
    func unreadable() async throws {
        let directory = open("/", O_RDONLY)
        defer { close(directory) }
        let loop = try EventLoop()
        let lines = InputLines(descriptor: directory, limit: 10) {
            (fd: Int32, body: @escaping () -> Void) throws(SystemCallError) -> Watch in
            try loop.watch(fd: fd, .readable) { _ in body() }
        }
        var failure: Int32?
        lines.onMore = {
            if case .failed(let errno) = lines.next() { failure = errno }
            loop.stop()
        }
        loop.execute {}
        lines.readMore()
        loop.run()
        #expect(failure == EISDIR)
    }

    @Test("the lines of a file are counted from its offset on, blank ones left out, and nothing is read of a pipe")
    func counted() throws {
        let directory = TemporaryDirectory()
        let descriptor = open(directory.path + "/inputs", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        let text = Array("1\n\n \t\r\n2\n3".utf8)
        try #require(write(descriptor, text, text.count) == text.count)
        #expect(InputLines.count(in: descriptor) == 0)
        lseek(descriptor, 0, SEEK_SET)
        #expect(InputLines.count(in: descriptor) == 3)
        #expect(lseek(descriptor, 0, SEEK_CUR) == 0)
        lseek(descriptor, 2, SEEK_SET)
        #expect(InputLines.count(in: descriptor) == 2)
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        #expect(InputLines.count(in: ends[0]) == nil)
        for end in ends { close(end) }
    }
}
