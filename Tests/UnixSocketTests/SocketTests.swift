import Glibc
import TestSupport
import Testing

@testable import RxLoop
@testable import UnixSocket

@Suite("Socket", .ownThreads)
struct SocketTests {
    private let loop: EventLoop

    init() throws { loop = try EventLoop() }

    // MARK: Lines

    @Test("lines arrive whole wherever the bytes are cut")
    func cuts() throws {
        let text = Array("one\r\n\ntwo\n{\"a\":\"\u{e9}\"}\nfour\n".utf8)
        for cut in 0...text.count {
            let wire = try Wire(on: loop)
            wire.peer.send(text[..<cut])
            loop.turn()
            wire.peer.send(text[cut...])
            loop.turn()
            #expect(wire.recorder.lines == ["one", "two", "{\"a\":\"\u{e9}\"}", "four"], "cut at \(cut)")
            wire.socket.close()
        }
    }

    @Test("10,000 pipelined lines arrive in order")
    func pipelining() throws {
        let wire = try Wire(on: loop)
        let expected = (0..<10_000).map { "line \($0)" }
        var bytes = ArraySlice(Array(expected.joined(separator: "\n").utf8) + [UInt8(ascii: "\n")])
        #expect(
            loop.turn(until: {
                bytes = bytes.dropFirst(max(0, wire.peer.send(bytes)))
                return wire.recorder.events.count >= expected.count
            }))
        #expect(wire.recorder.lines == expected)
    }

    @Test("a huge line within the limit arrives whole, with readable bytes after it")
    func huge() throws {
        let wire = try Wire(on: loop)
        let big = [UInt8](repeating: UInt8(ascii: "x"), count: Socket.defaultLineLimit)
        var bytes = ArraySlice(big + Array("\nnext\n".utf8))
        #expect(
            loop.turn(until: {
                bytes = bytes.dropFirst(max(0, wire.peer.send(bytes)))
                return wire.recorder.events.count >= 2
            }))
        #expect(wire.recorder.lines.map(\.utf8.count) == [big.count, 4])
    }

    @Test("a line over the limit is reported once, keeps nothing, and the next one arrives")
    func overLimit() throws {
        let wire = try Wire(on: loop)
        wire.socket.lineLimit = 1000
        let piece = [UInt8](repeating: UInt8(ascii: "x"), count: 50_000)
        for _ in 0..<20 {
            wire.peer.send(piece)
            loop.turn()
        }
        wire.peer.send("\ngood\n")
        loop.turn()
        #expect(wire.recorder.events == [.tooLong, .line("good")])
    }

    @Test("a flood gives way after a few lines, and a turn ends after a while, so that it delays nobody")
    func fairness() throws {
        let (flood, modest) = (try Wire(on: loop), try Wire(on: loop))
        flood.peer.send(String(repeating: "x\n", count: 50_000))
        modest.peer.send("here\n")
        loop.turn()
        #expect(modest.recorder.lines == ["here"])
        #expect((32...50_000).contains(flood.recorder.lines.count))
        #expect(loop.turn { flood.recorder.lines.count == 50_000 })
    }

    // MARK: The end

    @Test("half a line before the end of input is a line, and answers still get through")
    func halfLineThenEnd() throws {
        let wire = try Wire(on: loop)
        wire.peer.send("whole\nhalf")
        wire.peer.endOutput()
        #expect(loop.turn(until: { wire.recorder.events.count >= 3 }))
        #expect(wire.recorder.events == [.line("whole"), .line("half"), .endInput])
        #expect("answer".withBytes(wire.socket.write) == 6)
        #expect(wire.peer.receive() == Array("answer".utf8))

        #expect(loop.sleeps(), "the end of input is told once")
        #expect(!wire.socket.isClosed)

        wire.peer.close()
        #expect(loop.turn(until: { wire.socket.isClosed }))
        #expect(wire.recorder.events.dropFirst(3) == [.close(nil)])
    }

    @Test("what a peer sent before it left arrives before its end")
    func farewell() throws {
        let wire = try Wire(on: loop)
        wire.peer.send("one\ntwo")
        wire.peer.close()
        #expect(loop.turn(until: { wire.socket.isClosed }))
        #expect(wire.recorder.events == [.line("one"), .line("two"), .endInput, .close(nil)])
    }

    @Test("a peer that vanishes is noticed with nothing to read or write")
    func vanishing() throws {
        let wire = try Wire(on: loop)
        loop.turn()
        wire.peer.close()
        #expect(loop.turn(until: { wire.socket.isClosed }))
        #expect(wire.recorder.events == [.endInput, .close(nil)])
    }

    @Test("a peer that vanishes is noticed while reading is paused, and what it sent is dropped")
    func vanishingWhilePaused() throws {
        let wire = try Wire(on: loop)
        wire.socket.pauseReading()
        wire.peer.send("never\n")
        #expect(loop.sleeps())
        wire.peer.close()
        #expect(loop.turn(until: { wire.socket.isClosed }))
        #expect(wire.recorder.events == [.close(nil)])
    }

    @Test("a peer that leaves without reading its answers is an error that states that")
    func reset() throws {
        let wire = try Wire(on: loop)
        #expect("unread".withBytes(wire.socket.write) == 6)
        wire.peer.close()
        #expect(loop.turn(until: { wire.socket.isClosed }))
        guard case .close(let error?) = wire.recorder.events.last else { Issue.record("no error"); return }
        #expect(error.errno == ECONNRESET)
        #expect(error.isPeerGone)
    }

    @Test("a write that fails calls nobody, and closes the socket in the next turn")
    func brokenPipe() throws {
        let wire = try Wire(on: loop)
        wire.peer.endInput()
        #expect("lost".withBytes(wire.socket.write) == 0)
        wire.socket.wantsWritable = true
        #expect(wire.recorder.events.isEmpty)
        loop.turn()
        #expect(wire.recorder.events == [.close(.system(call: "send", errno: EPIPE))])
    }

    @Test("closing notifies the delegate once, within the call, and the peer reads the end")
    func closing() throws {
        let wire = try Wire(on: loop)
        wire.socket.close()
        wire.socket.close()
        #expect(wire.recorder.events == [.close(nil)])
        #expect(wire.peer.receive() == nil)
        #expect("x".withBytes(wire.socket.write) == 0)
        loop.turn()
        #expect(wire.recorder.events == [.close(nil)])
    }

    @Test("a closed socket is released")
    func release() throws {
        weak var socket: Socket?
        do {
            let wire = try Wire(on: loop)
            socket = wire.socket
            wire.peer.send("half a line")
            loop.turn()
            wire.socket.close()
        }
        loop.turn()
        #expect(socket == nil)
    }

    @Test("a closed socket that a child being made still shares keeps nobody awake")
    func shared() throws {
        let wire = try Wire(on: loop)
        let child = Peer(fd: dup(wire.fd))
        wire.socket.close()
        wire.peer.close()
        #expect(loop.sleeps())
        child.close()
    }

    // MARK: From within callbacks

    @Test("closing from within a line drops the lines after it")
    func closeInside() throws {
        for text in ["one\ntwo\nthree\n", "one\ntwo"] {
            let wire = try Wire(on: loop)
            wire.recorder.onLine = { socket, _ in socket.close() }
            wire.peer.send(text)
            loop.turn()
            loop.turn()
            #expect(wire.recorder.events == [.line("one"), .close(nil)])
        }
    }

    @Test("closing from within half a line at the end of input reports no end of input")
    func closeInsideHalf() throws {
        let wire = try Wire(on: loop)
        wire.recorder.onLine = { socket, _ in socket.close() }
        wire.peer.send("half")
        wire.peer.close()
        #expect(loop.turn(until: { wire.socket.isClosed }))
        #expect(wire.recorder.events == [.line("half"), .close(nil)])
    }

    @Test("the last lines of a peer that vanishes while reading is paused are delivered on resume, if they are kept")
    func keptAtHangUp() throws {
        for fails in [false, true] {
            let wire = try Wire(on: loop)
            wire.recorder.isWorking = true
            wire.recorder.onLine = { socket, line in if line == "long" { socket.pauseReading() } }
            wire.peer.send("long\n" + (1...100).map { "\($0)\n" }.joined())
            wire.peer.close()
            #expect(loop.turn { wire.recorder.lines.count == 1 })
            loop.turn()
            #expect(loop.sleeps(), "the hang-up is not reported again and again")
            #expect(wire.recorder.lines == ["long"])
            // An answer to the first line cannot be sent.
            if fails { #expect("answer".withBytes(wire.socket.write) == 0) }
            loop.turn()
            #expect(!wire.socket.isClosed)
            wire.recorder.isWorking = false
            wire.socket.resumeReading()
            #expect(loop.turn { wire.socket.isClosed })
            #expect(wire.recorder.lines == ["long"] + (1...100).map(String.init))
        }
    }

    @Test("an unterminated last line is received, unless the peer ends each line", arguments: [true, false])
    func unterminated(_ isReceived: Bool) throws {
        let wire = try Wire(on: loop)
        wire.socket.receivesUnterminatedLine = isReceived
        wire.peer.send("whole\npart")
        wire.peer.close()
        #expect(loop.turn { wire.socket.isClosed })
        #expect(wire.recorder.lines == ["whole"] + (isReceived ? ["part"] : []))
    }

    @Test("a peer that vanishes behind its last, unterminated line is waited for as long as that is worked on")
    func goneBehindLastLine() throws {
        for fails in [false, true] {
            let wire = try Wire(on: loop)
            wire.recorder.onLine = { [recorder = wire.recorder] socket, _ in
                recorder.isWorking = true
                socket.pauseReading()
            }
            wire.peer.send("last")
            wire.peer.close()
            #expect(loop.turn { wire.recorder.lines == ["last"] })
            if fails { #expect("answer".withBytes(wire.socket.write) == 0) }
            loop.turn()
            loop.turn()
            #expect(loop.sleeps(), "the hang-up is not reported again and again")
            #expect(!wire.socket.isClosed)
            wire.recorder.isWorking = false
            wire.socket.resumeReading()
            #expect(loop.turn { wire.socket.isClosed })
        }
    }

    @Test("a peer that takes nothing any more does not keep the loop busy, and is noticed by the next write")
    func takesNothing() throws {
        let wire = try Wire(on: loop)
        wire.recorder.onLine = { [recorder = wire.recorder] socket, _ in
            recorder.isWorking = true
            socket.pauseReading()
        }
        wire.peer.send("request\n")
        #expect(loop.turn { wire.recorder.lines.count == 1 })
        wire.peer.endInput()
        #expect("event".withBytes(wire.socket.write) == 0)
        wire.socket.wantsWritable = true
        loop.turn()
        loop.turn()
        #expect(loop.sleeps())
        #expect(!wire.socket.isClosed && !wire.recorder.events.contains(.writable))
        wire.recorder.isWorking = false
        #expect("answer".withBytes(wire.socket.write) == 0)
        #expect(loop.turn { wire.socket.isClosed })
    }

    @Test("the end of input ends a long line that it completes")
    func longLastLine() throws {
        let wire = try Wire(on: loop)
        let text = String(repeating: "x", count: 20_000)
        wire.peer.send(text)
        #expect(loop.turn { wire.recorder.longLines == 1 })
        wire.peer.endOutput()
        #expect(loop.turn { wire.recorder.lines == [text] })
        #expect(wire.recorder.longLines == 0)
    }

    @Test("pausing from within a line keeps the lines after it, which come on resume, in order")
    func pauseInside() throws {
        let wire = try Wire(on: loop)
        wire.recorder.onLine = { socket, _ in socket.pauseReading() }
        wire.peer.send("one\ntwo\nthree\nfo")
        var expected: [String] = []
        for line in ["one", "two", "three"] {
            expected.append(line)
            #expect(loop.turn(until: { wire.recorder.lines.count >= expected.count }))
            loop.turn()
            #expect(wire.recorder.lines == expected)
            wire.socket.resumeReading()
            #expect(wire.recorder.lines == expected, "resuming calls nobody itself")
        }
        loop.turn()
        wire.peer.send("ur\nfive\n")
        #expect(loop.turn(until: { wire.recorder.lines.count == 4 }))
        #expect(wire.recorder.lines.last == "four")
        wire.socket.resumeReading()
        #expect(loop.turn(until: { wire.recorder.lines.count == 5 }))
    }

    @Test("pausing and resuming within one line changes nothing")
    func pauseAndResume() throws {
        let wire = try Wire(on: loop)
        wire.recorder.onLine = { socket, _ in
            socket.pauseReading()
            socket.resumeReading()
        }
        wire.peer.send("one\ntwo\n")
        #expect(loop.turn(until: { wire.recorder.lines.count == 2 }))
        wire.peer.send("three\n")
        #expect(loop.turn(until: { wire.recorder.lines == ["one", "two", "three"] }))
    }

    @Test("pausing again before the kept lines came keeps them")
    func pauseTwice() throws {
        let wire = try Wire(on: loop)
        wire.recorder.onLine = { socket, _ in socket.pauseReading() }
        wire.peer.send("one\ntwo\n")
        loop.turn()
        wire.socket.resumeReading()
        wire.socket.pauseReading()
        loop.turn()
        #expect(wire.recorder.lines == ["one"])
        wire.socket.resumeReading()
        #expect(!loop.sleeps(for: 60_000))
        #expect(wire.recorder.lines == ["one", "two"])
    }

    @Test("a delegate changed from within a line gets the next one")
    func delegateChange() throws {
        let wire = try Wire(on: loop)
        let second = Recorder()
        wire.recorder.onLine = { socket, _ in socket.delegate = second }
        wire.peer.send("one\ntwo\n")
        loop.turn()
        #expect(wire.recorder.lines == ["one"])
        #expect(second.lines == ["two"])
    }

    @Test("an event already fetched for a closed socket does not reach the one that takes its place")
    func staleEvent() throws {
        let (a, b) = (try Wire(on: loop), try Wire(on: loop))
        let replacement = Shared<Wire?>(nil)
        for (wire, other) in [(a, b), (b, a)] {
            wire.recorder.onLine = { [loop] _, _ in
                other.socket.close()
                let fresh = try? Wire(on: loop)
                replacement.change { $0 = fresh }
            }
            wire.peer.send("bye\n")
            wire.peer.close()
        }
        loop.turn()
        #expect(a.recorder.lines.count + b.recorder.lines.count == 1)
        let fresh = try #require(replacement())
        #expect(!fresh.socket.isClosed)
        #expect(fresh.recorder.events.isEmpty)
        fresh.peer.send("alive\n")
        #expect(loop.turn(until: { fresh.recorder.lines == ["alive"] }))
    }

    // MARK: Writing

    @Test("a peer that never reads costs a bounded number of bytes and no turns")
    func backpressure() throws {
        let wire = try Wire(on: loop)
        let block = [UInt8](repeating: UInt8(ascii: "x"), count: 65_536)
        var taken = 0
        while case let count = block.withUnsafeBytes(wire.socket.write), count > 0 { taken += count }
        #expect(taken < 4_000_000)

        wire.socket.wantsWritable = true
        #expect(loop.sleeps(), "no room")

        wire.socket.wantsWritable = false
        #expect(wire.peer.receive()?.count == taken)
        #expect(loop.sleeps(), "room, but nobody wants it")
        #expect(wire.recorder.events.isEmpty)

        wire.socket.wantsWritable = true
        loop.turn()
        #expect(wire.recorder.events == [.writable])
        #expect("y".withBytes(wire.socket.write) == 1)
    }

    @Test("room that nobody wants any more in the same turn is not reported")
    func unwanted() throws {
        let (a, b) = (try Wire(on: loop), try Wire(on: loop))
        for (wire, other) in [(a, b), (b, a)] {
            wire.socket.wantsWritable = true
            wire.recorder.onWritable = { other.socket.wantsWritable = false }
        }
        loop.turn()
        #expect(a.recorder.events.count + b.recorder.events.count == 1)
    }

    @Test("the end of output reaches the peer, whose answer still arrives")
    func endOutput() throws {
        let wire = try Wire(on: loop)
        wire.socket.endOutput()
        #expect(wire.peer.receive() == nil)
        wire.peer.send("answer\n")
        #expect(loop.turn(until: { wire.recorder.lines == ["answer"] }))
        #expect(!wire.socket.isClosed)
    }

    // MARK: Connecting

    @Test("connecting where nobody listens names the path and the reason")
    func noListener() throws {
        let directory = try TemporaryDirectory()
        let path = "\(directory.path)/none"
        #expect(throws: SocketError.file(call: "connect", path: path, errno: ENOENT)) {
            try Socket.connect(path: path, loop: loop)
        }
    }

    @Test("lines go both ways between a connected and an accepted socket")
    func connecting() throws {
        let directory = try TemporaryDirectory()
        let listener = try Listener(binding: "\(directory.path)/s", loop: loop)
        let (server, client) = (Recorder(), Recorder())
        var accepted: Socket?
        listener.onAccept = {
            accepted = $0
            $0.delegate = server
        }
        server.onLine = { socket, line in _ = "echo \(line)\n".withBytes(socket.write) }
        let socket = try Socket.connect(path: "\(directory.path)/s", loop: loop)
        socket.delegate = client
        #expect("hello\n".withBytes(socket.write) == 6)
        #expect(loop.turn(until: { client.lines == ["echo hello"] }))
        #expect(accepted?.peer?.pid == getpid())
        #expect(socket.peer?.pid == getpid())
        socket.close()
        #expect(loop.turn(until: { accepted?.isClosed == true }))
        listener.close(unlink: true)
    }
}

extension String {
    func withBytes(_ body: (UnsafeRawBufferPointer) -> Int) -> Int {
        Array(utf8).withUnsafeBytes(body)
    }
}
