import TestSupport
import Testing

@testable import RxLoop

/// Who is served when, on a loop whose clock and descriptors the test controls.
@Suite("A fair turn", .ownThreads)
struct FairTurnTests {
    private let kernel: SimulatedKernel
    private let loop: EventLoop

    init() throws {
        kernel = try SimulatedKernel()
        loop = EventLoop(kernel: kernel)
    }

    private func watch(_ fd: Int32, _ share: LoopShare, _ body: @escaping () -> Void) throws {
        let watch = try loop.watch(fd: fd, .readable) { _ in body() }
        watch.share = share
        kernel.makeReady(fd, .readable)
    }

    @Test("serves the shares in turn, and the sources of each in turn, however many one share has")
    func roundRobin() throws {
        var served: [Int32] = []
        let (greedy, modest) = (LoopShare(), LoopShare())
        for fd in Int32(1)...10 { try watch(fd, greedy) { served.append(fd) } }
        for fd in Int32(11)...12 { try watch(fd, modest) { served.append(fd) } }
        loop.takeTurn()
        #expect(served == [1, 11, 2, 12, 3, 4, 5, 6, 7, 8, 9, 10])
    }

    @Test("serves posted closures in turn too, those of one share in their order")
    func posted() {
        let (greedy, modest) = (LoopShare(), LoopShare())
        let served = Shared<[Int]>([])
        for number in 0..<1000 { loop.execute(in: greedy) { served.change { $0.append(number) } } }
        loop.execute(in: modest) { served.change { $0.append(-1) } }
        loop.takeTurn()
        while served().count < 1001 { loop.takeTurn() }
        #expect(served().filter { $0 >= 0 } == Array(0..<1000))
        #expect(served().firstIndex(of: -1) == LoopShare.bodiesPerJob)
    }

    @Test("ends after a few milliseconds; timers fire, and everyone is served once in the turns that follow")
    func budget() throws {
        let count = Int32(100)
        var served: [Int32] = []
        var servedBeforeTimer: Int?
        for fd in 1...count {
            try watch(fd, LoopShare()) { [kernel] in
                served.append(fd)
                kernel.advance(by: .milliseconds(1))
            }
        }
        loop.schedule(after: .milliseconds(1)) { servedBeforeTimer = served.count }
        var turns = 0
        while served.count < count {
            loop.takeTurn()
            turns += 1
            #expect(served.count <= turns * 2, "a turn of two milliseconds serves two jobs of one")
            // What waits is served without waiting for anything else.
            if turns > 1 { #expect(kernel.wantedWait == 0) }
        }
        #expect(served == Array(1...count))
        #expect(servedBeforeTimer.map { $0 <= 4 } == true)
        loop.takeTurn()
        loop.takeTurn()
        #expect(kernel.wantedWait == -1)
    }

    @Test("ends although many timers are due; those left come in the next turn, and others are served in between")
    func timers() throws {
        let count = 200
        var fired: [Int] = []
        for number in 0..<count {
            loop.schedule(after: .milliseconds(1)) { [kernel] in
                fired.append(number)
                kernel.advance(by: .milliseconds(1))
            }
        }
        var served = 0
        try watch(1, LoopShare()) { served += 1 }
        kernel.advance(by: .milliseconds(1))
        var turns = 0
        while fired.count < count, turns < count {
            kernel.makeReady(1, .readable)
            loop.takeTurn()
            turns += 1
            #expect(fired.count <= turns * 2 && served == turns)
        }
        #expect(fired == Array(0..<count))
    }

    /// A source with endless work, which gives way as a socket does.
    private final class Endless: LoopSource, @unchecked Sendable {
        var served = 0
        var onJob: () -> Void = {}

        override func attended() {
            served += 1
            onJob()
            if loop.isTurnOver(after: 32) || loop.hasOthersWaiting { loop.attend(self) }
        }
    }

    @Test("ends although its sources report all the work themselves and never run out of it")
    func endless() {
        let sources = (0..<3).map { _ in Endless(loop: loop) }
        for source in sources {
            source.share = LoopShare()
            source.onJob = { [kernel] in kernel.advance(by: .milliseconds(1)) }
            loop.attend(source)
        }
        for turn in 1...10 {
            loop.takeTurn()
            let served = sources.map(\.served)
            #expect(served.reduce(0, +) <= turn * 4, "a turn of two milliseconds serves a few jobs of one")
            #expect(served.max()! - served.min()! <= 1, "all have the same share")
        }
    }

    /// A source that reports nothing but small requests.
    private final class Brief: LoopSource, @unchecked Sendable {
        override func attended() { _ = loop.isTurnOver(after: 1) }
    }

    @Test("reads the clock once if there are only a few small requests")
    func clock() {
        for _ in 0..<16 {
            let source = Brief(loop: loop)
            source.share = LoopShare()
            loop.attend(source)
        }
        let before = kernel.readings
        loop.takeTurn()
        #expect(kernel.readings == before + 1)
    }

    @Test("ends after a job that took long, or a posted closure, whatever was served before")
    func long() throws {
        var served = 0
        for fd in Int32(1)...4 {
            try watch(fd, LoopShare()) { [kernel] in
                served += 1
                kernel.advance(by: .milliseconds(10))
            }
        }
        for turn in 1...4 {
            loop.takeTurn()
            #expect(served == turn)
        }
        let posted = Shared(0)
        let share = LoopShare()
        for _ in 0..<4 {
            loop.execute(in: share) { [kernel] in
                posted.change { $0 += 1 }
                kernel.advance(by: .milliseconds(10))
            }
        }
        for turn in 1...4 {
            loop.takeTurn()
            #expect(posted() == turn)
        }
    }

    @Test("serves posted closures of a share whose sources take all of each turn, and the other way round")
    func alternates() {
        let share = LoopShare()
        let endless = Endless(loop: loop)
        endless.share = share
        endless.onJob = { [kernel, loop] in
            kernel.advance(by: .milliseconds(3))
            loop.spendLong()
        }
        loop.attend(endless)
        let posted = Shared(0)
        for _ in 0..<10 {
            loop.execute(in: share) { [kernel] in
                posted.change { $0 += 1 }
                kernel.advance(by: .milliseconds(3))
            }
        }
        for turn in 1...20 {
            loop.takeTurn()
            #expect(abs(posted() - endless.served) <= 1 && posted() + endless.served >= turn)
        }
        #expect(posted() == 10)
    }

    @Test("skips a source that was closed while it waited")
    func closed() throws {
        var served: [Int] = []
        var second: Watch?
        let first = try loop.watch(fd: 1, .readable) { _ in
            served.append(1)
            second?.cancel()
        }
        second = try loop.watch(fd: 2, .readable) { _ in served.append(2) }
        kernel.makeReady(1, .readable)
        kernel.makeReady(2, .readable)
        loop.takeTurn()
        #expect(served == [1])
        first.cancel()
    }
}
