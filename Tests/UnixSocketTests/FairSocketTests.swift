import TestSupport
import Testing

@testable import RxLoop
@testable import UnixSocket

/// A kernel whose clock and readiness a test controls; the descriptors are real.
// Unchecked: used on the thread of one test.
private final class SteppedKernel: LoopKernel, @unchecked Sendable {
    private(set) var time: UInt64 = 0
    private(set) var readings = 0
    private var keys: [Int32: UInt64] = [:]
    private var ready: [Int32] = []

    func advance(by duration: Duration) { time += duration.nanosecondsRoundedUp }

    func makeReadable(_ fd: Int32) { ready.append(fd) }

    override func add(_ fd: Int32, _ interest: Interest, key: UInt64) -> Int32 {
        keys[fd] = key
        return 0
    }

    override func modify(_ fd: Int32, _ interest: Interest, key: UInt64) {}

    override func remove(_ fd: Int32) { keys[fd] = nil }

    override func wait(nanoseconds: Int64) -> Int {
        let keys = ready.compactMap { self.keys[$0] }
        ready = []
        for (index, key) in keys.enumerated() { setEvent(index, .readable, key: key) }
        return keys.count
    }

    override var now: UInt64 {
        readings += 1
        return time
    }

    override func wake() {}
}

@Suite("A socket in a fair turn", .ownThreads)
struct FairSocketTests {
    private let kernel: SteppedKernel
    private let loop: EventLoop

    init() throws {
        kernel = try SteppedKernel()
        loop = EventLoop(kernel: kernel)
    }

    /// Receives lines, each of which takes a time.
    private final class Worker: SocketDelegate {
        private let kernel: SteppedKernel
        private let time: Duration
        private(set) var lines: [String] = []

        init(_ kernel: SteppedKernel, _ time: Duration) {
            self.kernel = kernel
            self.time = time
        }

        func socket(_ socket: Socket, didReceive line: UnsafeRawBufferPointer) {
            lines.append(String(decoding: line, as: UTF8.self))
            guard time > .zero else { return }
            kernel.advance(by: time)
            socket.loop.spendLong()
        }

        func socketLineTooLong(_ socket: Socket) {}
        func socketDidEndInput(_ socket: Socket) {}
        func socketDidBecomeWritable(_ socket: Socket) {}
        func socketDidClose(_ socket: Socket, error: SocketError?) {}
    }

    private func wire(_ count: Int, _ worker: Worker) throws -> Wire {
        let wire = try Wire(on: loop)
        wire.socket.share = LoopShare()
        wire.socket.delegate = worker
        wire.peer.send(Array((0..<count).map { "\($0)\n" }.joined().utf8)[...])
        kernel.makeReadable(wire.fd)
        return wire
    }

    @Test("gives way after a line that took long, and goes on with the next one, in order")
    func longLines() throws {
        let (greedy, modest) = (Worker(kernel, .milliseconds(1)), Worker(kernel, .milliseconds(1)))
        let wires = [try wire(20, greedy), try wire(1, modest)]
        var turns = 0
        while greedy.lines.count < 20, turns < 20 {
            loop.takeTurn()
            turns += 1
            #expect(greedy.lines.count + modest.lines.count <= 2 * turns, "a turn of two milliseconds serves two")
            #expect(turns < 2 || modest.lines.count == 1)
        }
        #expect(greedy.lines == (0..<20).map(String.init))
        for wire in wires { wire.socket.close() }
    }

    @Test("reads the clock no further for lines that take no time")
    func briefLines() throws {
        let workers = (0..<8).map { _ in Worker(kernel, .zero) }
        let wires = try workers.map { try wire(1, $0) }
        let before = kernel.readings
        loop.takeTurn()
        #expect(workers.allSatisfy { $0.lines.count == 1 } && kernel.readings == before + 1)
        for wire in wires { wire.socket.close() }
    }
}
