import Glibc
import RxJSON
import TestSupport
import Testing
import RxLoop

@testable import rxctl

/// `Output` on a pipe, its loop on a thread of its own.
@Suite(.ownThreads)
struct OutputTests {
    /// Everything of one test; on the loop's thread once it runs.
    private final class Bench: @unchecked Sendable {
        let loop: EventLoop
        var output: Output!
        private(set) var readEnd: Int32
        private let writeEnd: Int32

        init() throws {
            var ends: [Int32] = [-1, -1]
            precondition(pipe(&ends) == 0)
            (readEnd, writeEnd) = (ends[0], ends[1])
            _ = fcntl(readEnd, F_SETFL, O_NONBLOCK)
            signal(SIGPIPE, SIG_IGN)
            loop = try EventLoop()
            output = try Output(descriptor: writeEnd, loop: loop)
            loop.start(name: "output")
        }

        /// What is in the pipe now.
        func read() -> [UInt8] {
            var chunk = [UInt8](repeating: 0, count: 65_536)
            let count = Glibc.read(readEnd, &chunk, chunk.count)
            return Array(chunk.prefix(max(0, count)))
        }

        func closeReader() {
            close(readEnd)
            readEnd = -1
        }

        func stop() {
            loop.stop()
            loop.join()
            close(writeEnd)
            if readEnd >= 0 { close(readEnd) }
        }
    }

    @Test("what waits for the lines printed so far is called once those are written, whatever is printed after them")
    func written() async throws {
        let bench = try Bench()
        defer { bench.stop() }
        let (told, teller) = AsyncStream.makeStream(of: String.self)
        // More than a pipe holds.
        let line = String(repeating: "x", count: 200_000)
        bench.loop.execute {
            for number in 1...4 {
                bench.output.printLine(line.utf8)
                bench.output.whenWritten { teller.yield("\(number) \(bench.output.isIdle)") }
            }
            teller.yield("printed")
        }
        var calls = told.makeAsyncIterator()
        #expect(await calls.next() == "printed")
        var taken = 0
        while taken < 3 * (line.utf8.count + 1) { taken += bench.read().count }
        var first: [String] = []
        for _ in 1...3 { first.append(await calls.next() ?? "none") }
        #expect(first == ["1 false", "2 false", "3 false"])
        while taken < 4 * (line.utf8.count + 1) { taken += bench.read().count }
        #expect(await calls.next() == "4 true")
        bench.loop.execute {
            bench.output.printLine(line.utf8)
            bench.output.printLine(line.utf8)
            bench.output.whenWritten { teller.yield("dropped") }
            bench.output.dropUnbegun()
            bench.output.whenWritten { teller.yield("empty") }
            teller.yield("printed")
        }
        #expect(await calls.next() == "printed")
        while taken < 5 * (line.utf8.count + 1) { taken += bench.read().count }
        #expect(await calls.next() == "dropped")
        #expect(await calls.next() == "empty")
    }

    @Test("more lines than a pipe holds are written as it is read, none lost, and congestion is reported")
    func slowReader() async throws {
        let bench = try Bench()
        defer { bench.stop() }
        let lines = (0..<100).map { String(repeating: "\($0 % 10)", count: 10_000) }
        let (told, teller) = AsyncStream.makeStream(of: String.self)
        bench.loop.execute {
            bench.output.onCongestion = { teller.yield($0 ? "congested" : "free") }
            for line in lines { bench.output.printLine(line.utf8) }
            bench.output.drain { teller.yield("drained") }
        }
        var signs = told.makeAsyncIterator()
        #expect(await signs.next() == "congested")
        var bytes: [UInt8] = []
        let expected = lines.map { $0 + "\n" }.joined()
        let deadline = ContinuousClock.now + .seconds(120)
        while bytes.count < expected.utf8.count, ContinuousClock.now < deadline {
            bytes += bench.read()
            await Task.yield()
        }
        // Without all of it the rest would be waited for in vain.
        let isAll = bytes == Array(expected.utf8)
        try #require(isAll, "\(bytes.count) bytes")
        #expect(await signs.next() == "free")
        #expect(await signs.next() == "drained")
    }

    @Test("a reader that goes away is noticed with nothing to write")
    func quietHangUp() async throws {
        let bench = try Bench()
        defer { bench.stop() }
        let number = await withCheckedContinuation { continuation in
            bench.loop.execute {
                bench.output.onFailure = { continuation.resume(returning: $0) }
                bench.closeReader()
            }
        }
        #expect(number == EPIPE)
        #expect(Ending.outputFailed(errno: number).outcome == .readerGone)
    }

    @Test("a full disk is a failure with that reason")
    func fullDisk() async throws {
        let descriptor = open("/dev/full", O_WRONLY)
        defer { close(descriptor) }
        let loop = try EventLoop()
        let number = await withCheckedContinuation { continuation in
            loop.execute {
                guard let output = try? Output(descriptor: descriptor, loop: loop) else { return }
                output.onFailure = { continuation.resume(returning: $0) }
                output.printLine("x".utf8)
                output.drain {}
            }
            loop.start(name: "full")
        }
        loop.stop()
        loop.join()
        #expect(number == ENOSPC)
        #expect(Ending.outputFailed(errno: number).outcome.exitStatus == 1)
    }
}
