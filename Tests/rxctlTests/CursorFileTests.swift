import Glibc
import RxJSON
import Synchronization
import TestSupport
import Testing
import RxLoop

@testable import rxctl

extension CursorFile {
    /// Other tests start processes meanwhile, and each of those holds the locks of this one for the moment until it is
    /// another program.
    static func opened(_ path: String, calls: FileCalls = .system) throws -> CursorFile {
        let deadline = ContinuousClock.now + .seconds(20)
        while true {
            do {
                return try CursorFile(path, calls: calls)
            } catch {
                guard case .text(let text) = error.message, text.hasSuffix("by another rxctl"),
                    ContinuousClock.now < deadline
                else { throw error }
                usleep(200)
            }
        }
    }
}

/// Readers that die at every step, in a directory of their own.
@Suite(.ownThreads(limit: .seconds(120)))
struct CursorFileTests {
    /// System calls of a process that dies in the middle of one of them.
    private final class Mortal: Sendable {
        /// In which call it dies, counted from 1, and how much of it still happens: a part of the bytes of a write.
        struct Death {
            var step: Int
            var part: Double
        }

        private let death: Death?
        private let state = Mutex((steps: 0, isDead: false))

        init(_ death: Death?) {
            self.death = death
        }

        var isDead: Bool { state.withLock { $0.isDead } }
        var steps: Int { state.withLock { $0.steps } }

        /// The part of the next call that happens; nil for all of it, without a death.
        private func share() -> Double? {
            state.withLock { state in
                guard !state.isDead else { return 0 }
                state.steps += 1
                guard let death, death.step == state.steps else { return nil }
                state.isDead = true
                return death.part
            }
        }

        var calls: FileCalls {
            FileCalls(
                write: { [self] descriptor, bytes in
                    guard let share = share() else { return write(descriptor, bytes.baseAddress, bytes.count) }
                    let count = Int((Double(bytes.count) * share).rounded())
                    return count == 0 ? -1 : write(descriptor, bytes.baseAddress, count)
                },
                writeAt: { [self] descriptor, bytes, offset in
                    // Within a page: whole or not at all.
                    guard share() ?? 1 > 0.5 else { return -1 }
                    return pwrite(descriptor, bytes.baseAddress, bytes.count, offset)
                },
                truncate: { [self] descriptor, size in
                    guard share() ?? 1 > 0.5 else { return -1 }
                    return ftruncate(descriptor, size)
                },
                sync: { [self] _ in share() ?? 1 > 0.5 ? 0 : -1 },
                bootID: { "boot" })
        }
    }

    /// The output, the cursor file, and readers of a stream of so many records.
    private final class Bench {
        let directory: String
        var output: String { directory + "/out" }
        var file: String { directory + "/cursor" }
        let flags: Int32
        let loop: EventLoop
        let count = 45

        init(flags: Int32 = O_APPEND) throws {
            var template = Array("/tmp/rxctl-cursor-XXXXXX".utf8CString)
            precondition(mkdtemp(&template) != nil)
            directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
            self.flags = flags
            loop = try EventLoop()
        }

        deinit {
            unlink(output)
            unlink(file)
            rmdir(directory)
        }

        func clear() {
            unlink(output)
            unlink(file)
        }

        /// The longest lines are longer than a page and than the buffer of a pipe.
        func line(_ number: Int) -> String {
            "{\"n\":\(number),\"x\":\"" + String(repeating: "x", count: number % 9 == 4 ? 9000 : number % 7) + "\"}"
        }

        var expected: String { (1...count).map { line($0) + "\n" }.joined() }

        func read(_ path: String) -> String {
            guard let stream = fopen(path, "r") else { return "" }
            defer { fclose(stream) }
            var bytes: [UInt8] = []
            var chunk = [UInt8](repeating: 0, count: 65_536)
            while case let count = fread(&chunk, 1, chunk.count, stream), count > 0 { bytes += chunk[..<count] }
            return String(decoding: bytes, as: UTF8.self)
        }

        func append(_ text: String) {
            guard let stream = fopen(output, "a") else { return }
            fputs(text, stream)
            fclose(stream)
        }

        /// Reads from the cursor in the file on, in batches, until the end or its death.
        func run(_ mortal: Mortal) throws -> (cursor: String?, remark: String?) {
            let descriptor = open(output, O_WRONLY | O_CREAT | flags, 0o600)
            defer { close(descriptor) }
            if flags & O_APPEND == 0 { lseek(descriptor, 0, SEEK_END) }
            let cursorFile = try CursorFile.opened(file, calls: mortal.calls)
            let remark: String?
            do {
                remark = try cursorFile.attach(to: descriptor, isOfRecords: false)
            } catch {
                guard mortal.isDead else { throw error }
                return (cursorFile.cursor, nil)
            }
            let output = try Output(descriptor: descriptor, loop: loop, calls: mortal.calls)
            defer { output.cursorFile = nil }
            output.cursorFile = cursorFile
            let position = cursorFile.cursor.flatMap { Int($0.dropFirst(2)) } ?? 0
            output.reach("e:\(position)")
            output.flush()
            for number in (position + 1)..<(count + 1) where !mortal.isDead {
                output.printLine(line(number).utf8)
                output.reach("e:\(number)")
                // Turns of one, three, and more lines than a batch has.
                if number < 8 || number % 3 == 0 && number < 20 || number == count { output.flush() }
            }
            return (cursorFile.cursor, remark)
        }
    }

    @Test(
        "a reader that dies at any step, and a successor that dies at an early step, leave each line exactly once",
        arguments: [O_APPEND, 0])
    func deaths(flags: Int32) throws {
        let bench = try Bench(flags: flags)
        let whole = Mortal(nil)
        _ = try bench.run(whole)
        #expect(bench.read(bench.output) == bench.expected)
        let steps = whole.steps
        #expect(steps > 30)
        var torn = 0
        for step in 1...steps {
            for part in [0, 0.01, 0.97, 1] {
                for second in 0...3 {
                    bench.clear()
                    _ = try bench.run(Mortal(Mortal.Death(step: step, part: part)))
                    if bench.read(bench.output).last != "\n" { torn += 1 }
                    if second > 0 {
                        _ = try bench.run(Mortal(Mortal.Death(step: second, part: step % 2 == 0 ? 0.3 : 1)))
                    }
                    let last = try bench.run(Mortal(nil))
                    #expect(last.cursor == "e:\(bench.count)")
                    #expect(last.remark == nil)
                    let lines = bench.read(bench.output)
                    try #require(lines == bench.expected, "died at \(step) after \(part), then at \(second)")
                }
            }
        }
        #expect(torn > 50)
    }

    @Test("a batch torn behind any of its bytes is taken back, also where a line ends")
    func everyByte() throws {
        let bench = try Bench()
        _ = try bench.run(Mortal(nil))
        let last = bench.expected.utf8.count
        // The last batch of a run: from its intent on, as if the machine had stopped after so many bytes.
        for kept in 0...40 {
            bench.clear()
            let batch = Array("{\"n\":1}\n{\"n\":2}\n{\"n\":3}\n{\"n\":4}\n{\"n\":5}\n".utf8)
            #expect(batch.count == 40)
            let descriptor = open(bench.output, O_RDWR | O_CREAT | O_APPEND, 0o600)
            defer { close(descriptor) }
            do {
                let file = try CursorFile.opened(bench.file)
                _ = try file.attach(to: descriptor, isOfRecords: false)
                try file.commit("e:0")
                try batch.withUnsafeBytes { bytes in
                    Result { () throws(Ending) in try file.begin(bytes, reaching: "e:5") }
                }.get()
                _ = write(descriptor, batch, kept)
            }
            let file = try CursorFile.opened(bench.file)
            #expect(try file.attach(to: descriptor, isOfRecords: false) == nil)
            #expect(file.cursor == (kept == 40 ? "e:5" : "e:0"))
            #expect(bench.read(bench.output).utf8.count == (kept == 40 ? 40 : 0))
        }
        #expect(last > 40)
    }

    @Test(
        "lines that others appended after a death stay; a whole batch is recognized, a partial one comes again"
    )
    func foreign() throws {
        for (kept, cursor, remark) in [(0.0, "e:1", true), (0.5, "e:1", true), (1.0, "e:2", false)] {
            let bench = try Bench()
            let descriptor = open(bench.output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
            defer { close(descriptor) }
            let batch = Array((bench.line(4) + "\n").utf8)
            do {
                let file = try CursorFile.opened(bench.file)
                _ = try file.attach(to: descriptor, isOfRecords: false)
                try file.commit("e:1")
                try batch.withUnsafeBytes { bytes in
                    Result { () throws(Ending) in try file.begin(bytes, reaching: "e:2") }
                }.get()
                _ = write(descriptor, batch, Int(Double(batch.count) * kept))
            }
            bench.append("restarted\n")
            let before = bench.read(bench.output)
            let file = try CursorFile.opened(bench.file)
            let told = try file.attach(to: descriptor, isOfRecords: false)
            #expect((told != nil) == remark)
            #expect(file.cursor == cursor)
            #expect(bench.read(bench.output) == before)
        }
    }

    @Test("another output, and one that was emptied, get the batch again")
    func otherOutput() throws {
        for isEmptied in [true, false] {
            let bench = try Bench()
            _ = try bench.run(Mortal(Mortal.Death(step: 10, part: 1)))
            #expect(bench.read(bench.output) != "")
            if isEmptied {
                truncate(bench.output, 0)
            } else {
                unlink(bench.output)
            }
            let before = try CursorFile.opened(bench.file).cursor
            let descriptor = open(bench.output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
            defer { close(descriptor) }
            let file = try CursorFile.opened(bench.file, calls: Mortal(nil).calls)
            let remark = try file.attach(to: descriptor, isOfRecords: false)
            #expect(file.cursor == before)
            // A new file may well get the inode of the one before.
            if isEmptied { #expect(remark == nil) }
        }
    }

    @Test("a pipe has no intent, and the cursor follows the written lines one by one")
    func pipe() throws {
        let bench = try Bench()
        var ends: [Int32] = [-1, -1]
        precondition(Glibc.pipe(&ends) == 0)
        defer { ends.forEach { close($0) } }
        let file = try CursorFile.opened(bench.file)
        #expect(try file.attach(to: ends[1], isOfRecords: false) == nil)
        #expect(!file.isExact)
        let output = try Output(descriptor: ends[1], loop: bench.loop)
        output.cursorFile = file
        defer { output.cursorFile = nil }
        func first() -> String { String(bench.read(bench.file).prefix { $0 != "\n" }) }
        output.reach("e:7")
        output.flush()
        #expect(first() == "e:7")
        // 20 lines of 9,000 bytes are more than a pipe holds.
        for number in 8..<28 {
            output.printLine(String(repeating: "y", count: 9000).utf8)
            output.reach("e:\(number)")
        }
        output.flush()
        var bytes = 0
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while bytes < 20 * 9001 {
            // The lines up to the file's cursor can be read; it lags by less than a line.
            let cursor = try #require(Int(first().dropFirst(2)))
            #expect(cursor >= 7 + bytes / 9001)
            let count = read(ends[0], &chunk, chunk.count)
            try #require(count > 0)
            bytes += count
            output.flush()
        }
        #expect(first() == "e:27")
        #expect(CursorRecord(Array(bench.read(bench.file).utf8))?.intent == nil)
    }

    @Test("a disk that is full in the middle of a batch has nothing of it in the end")
    func full() throws {
        let bench = try Bench()
        let descriptor = open(bench.output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(descriptor) }
        let written = Mutex(0)
        var calls = FileCalls.system
        calls.write = { descriptor, bytes in
            let room = 30 - written.withLock { $0 }
            guard room > 0 else {
                errno = ENOSPC
                return -1
            }
            let count = write(descriptor, bytes.baseAddress, min(room, bytes.count))
            written.withLock { $0 += count }
            return count
        }
        let file = try CursorFile.opened(bench.file, calls: calls)
        _ = try file.attach(to: descriptor, isOfRecords: false)
        let output = try Output(descriptor: descriptor, loop: bench.loop, calls: calls)
        output.cursorFile = file
        defer { output.cursorFile = nil }
        var failure: Int32?
        output.onFailure = { failure = $0 }
        output.reach("e:0")
        output.printLine("0123456789".utf8)
        output.reach("e:1")
        output.flush()
        output.printLine("0123456789".utf8)
        output.printLine("0123456789".utf8)
        output.reach("e:3")
        output.flush()
        #expect(failure == ENOSPC)
        #expect(bench.read(bench.output) == "0123456789\n")
        let record = CursorRecord(Array(bench.read(bench.file).utf8))
        #expect(record?.cursor == "e:1" && record?.intent == nil)
    }

    @Test("a file that is none of ours, a directory, one in use and the output itself are refused and left alone")
    func refusals() throws {
        let bench = try Bench()
        func message(_ path: String) -> String {
            do {
                let file = try CursorFile(path)
                return try file.attach(to: STDOUT_FILENO, isOfRecords: false) ?? "opened"
            } catch {
                guard case .text(let text) = error.message else { return "" }
                #expect(error.outcome.exitStatus == 1)
                return text
            }
        }
        #expect(message(bench.directory) == "\(bench.directory): cannot be opened: Is a directory (EISDIR)")
        #expect(message("/dev/null") == "/dev/null: not a regular file")
        bench.append("my data\n")
        #expect(message(bench.output) == "\(bench.output): not a cursor file; it was left unchanged")
        #expect(bench.read(bench.output) == "my data\n")
        do {
            let held = try CursorFile.opened(bench.file)
            #expect(message(bench.file) == "\(bench.file): in use by another rxctl")
            let descriptor = open(bench.file, O_WRONLY)
            defer { close(descriptor) }
            #expect(throws: Ending.self) { try held.attach(to: descriptor, isOfRecords: false) }
        }
        _ = try CursorFile.opened(bench.file)
    }
}
