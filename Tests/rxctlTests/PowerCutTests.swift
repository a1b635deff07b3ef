import Glibc
import RxLoop
import Synchronization
import TestSupport
import Testing

@testable import rxctl

/// Readers whose process is killed or whose machine loses power at random calls, in a directory of their own.
@Suite(.ownThreads(limit: .seconds(120)))
struct PowerCutTests {
    /// What the lines are.
    enum Lines {
        case records
        /// Without cursors, and many of them the same.
        case equalValues
        /// Without cursors. The daemon keeps every other one only until the machine stops.
        case lostValues
    }

    private final class Bench {
        let directory: String
        var output: String { directory + "/out" }
        let lines: Lines
        let loop: EventLoop
        let disk: ModelDisk
        var numbers: SplitMix
        /// The last event of an earlier boot: those up to it come again only if they are kept.
        var before = 0
        let count = 60

        init(_ lines: Lines, seed: UInt64) throws {
            var template = Array("/tmp/rxctl-power-XXXXXX".utf8CString)
            precondition(mkdtemp(&template) != nil)
            directory = String(decoding: template.dropLast().map(UInt8.init(bitPattern:)), as: UTF8.self)
            self.lines = lines
            loop = try EventLoop()
            disk = ModelDisk(seed: seed)
            numbers = SplitMix(state: ~seed)
        }

        deinit {
            unlink(output)
            unlink(directory + "/cursor")
            rmdir(directory)
        }

        func line(_ number: Int) -> String {
            switch lines {
            case .records: #"{"x":"\#(String(repeating: "x", count: number % 13 * 40))","cursor":"e:\#(number)"}"#
            case .equalValues: "\"\(number / 7 % 3)\""
            case .lostValues: "\"\(number)\""
            }
        }

        func isKept(_ number: Int) -> Bool { lines != .lostValues || number % 2 == 0 }

        var written: [String] {
            String(decoding: ModelDisk.content(output), as: UTF8.self).split(separator: "\n").map(String.init)
        }

        /// Reads from the cursor in the file on until the end, or until the process or the machine stops.
        func run() throws {
            let descriptor = open(output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
            defer { close(descriptor) }
            do {
                let file = try CursorFile.opened(directory + "/cursor", calls: disk.calls)
                _ = try file.attach(to: descriptor, isOfRecords: lines == .records)
                let output = try Output(descriptor: descriptor, loop: loop, calls: disk.calls)
                defer { output.cursorFile = nil }
                output.cursorFile = file
                let position = file.cursor.flatMap { Int($0.dropFirst(2)) } ?? 0
                output.reach("e:\(position)")
                output.flush()
                for number in (position + 1)..<(count + 1) where !disk.isDown {
                    if number > before || isKept(number) { output.printLine(line(number).utf8) }
                    output.reach("e:\(number)")
                    if numbers.next() % 3 == 0 || number == count { output.flush() }
                    if numbers.next() % 8 == 0 { output.sync() }
                    sent = max(sent, number)
                }
                output.flush()
            } catch {
                guard disk.isDown else { throw error }
            }
        }

        /// The last event that was sent to a reader.
        var sent = 0
    }

    @Test("an output that is shorter than at the last sync or another file is reported, and continues at the sync")
    func otherOutput() throws {
        for isShorter in [true, false] {
            let bench = try Bench(.equalValues, seed: 1)
            var calls = FileCalls.system
            calls.bootID = { "first" }
            let descriptor = open(bench.output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
            defer { close(descriptor) }
            do {
                let file = try CursorFile.opened(bench.directory + "/cursor", calls: calls)
                #expect(try file.attach(to: descriptor, isOfRecords: false) == nil)
                try file.commit("e:1")
                #expect(write(descriptor, "abc\n", 4) == 4)
                try file.commit("e:2")
                try file.sync()
                try file.commit("e:3")
            }
            if isShorter {
                #expect(ftruncate(descriptor, 0) == 0)
            } else {
                // The first file stays open, so the new one has another inode.
                unlink(bench.output)
            }
            let next = open(bench.output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
            defer { close(next) }
            calls.bootID = { "second" }
            let file = try CursorFile.opened(bench.directory + "/cursor", calls: calls)
            let remark = try file.attach(to: next, isOfRecords: false)
            #expect(remark?.contains(isShorter ? "shorter" : "not the file of before") == true)
            #expect(file.cursor == "e:2")
        }
    }

    @Test("the disk is synced at the first cursor and on request, the output before the cursor file")
    func order() throws {
        let bench = try Bench(.records, seed: 1)
        let synced = Mutex<[Int32]>([])
        var calls = FileCalls.system
        calls.sync = { descriptor in
            var status = stat()
            fstat(descriptor, &status)
            if status.st_mode & S_IFMT == S_IFREG { synced.withLock { $0.append(descriptor) } }
            return fdatasync(descriptor)
        }
        let descriptor = open(bench.output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        defer { close(descriptor) }
        let file = try CursorFile.opened(bench.directory + "/cursor", calls: calls)
        #expect(try file.attach(to: descriptor, isOfRecords: true) == nil)
        #expect(synced.withLock { $0.count } == 0, "there is no cursor yet")
        try file.commit("e:1")
        try file.commit("e:2")
        try file.sync()
        try file.sync()
        let order = synced.withLock { $0 }
        #expect(order.count == 4 && order[0] == descriptor && order[2] == descriptor)
        #expect(order[1] != descriptor && order[1] == order[3])
    }

    @Test(
        "after power cuts and kills at random calls, no line is doubled, and none is missing that can be sent again",
        arguments: [Lines.records, .equalValues, .lostValues])
    func cuts(lines: Lines) throws {
        var cuts = 0
        for seed in UInt64(0)..<200 {
            let bench = try Bench(lines, seed: seed)
            for _ in 0..<(1 + Int(bench.numbers.next() % 4)) {
                bench.disk.stop(within: 1 + Int(bench.numbers.next() % 60))
                try bench.run()
                if bench.numbers.next() % 3 == 0 {
                    bench.disk.restart()
                } else {
                    bench.disk.boot()
                    bench.before = bench.sent
                    cuts += 1
                }
            }
            bench.disk.restart()
            try bench.run()
            let expected = (1...bench.count).map(bench.line)
            if lines == .lostValues {
                let written = bench.written
                try #require(Set(written).count == written.count, "doubled, seed \(seed)")
                try #require(Set(written).isSuperset(of: (1...bench.count).filter(bench.isKept).map(bench.line)))
            } else {
                try #require(bench.written == expected, "seed \(seed)")
            }
        }
        #expect(cuts > 200)
    }
}
