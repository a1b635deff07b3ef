import RxJSON
import RxStreams
import TestSupport
import Testing

@testable import RxSources

/// Keeps lines and their position as one transaction, as far as they are settled.
private final class LineLog: FileOutput {
    private(set) var lines: [String] = []
    private(set) var position: RawJSON?
    /// How many lines are settled.
    private(set) var settledCount = 0
    private var last: RawJSON?
    private(set) var isPending = false

    func emit(_ elements: [SourceElement]) {
        #expect(!isPending, "a batch before the last one was settled")
        isPending = true
        lines += elements.map { $0.value.value().object!["line"]!.string! }
        last = elements.last!.position
    }

    func report(waiting reason: String?) {}
    func report(error message: String) {}

    func settle() {
        isPending = false
        position = last
        settledCount = lines.count
    }

    func kill() {
        isPending = false
        lines.removeLast(lines.count - settledCount)
    }
}

/// A program that writes a log, which is rotated and truncated; and a tail, which is killed.
private final class LineModel {
    private let files = ModelFiles()
    private let log = LineLog()
    private var numbers: SeededNumbers
    private var kernel: ModelKernel
    private var hub: WatchHub
    private var engine: LineEngine
    /// The file that the program has open.
    private var writer: ModelFiles.Node
    /// Whole lines in the order in which they were written.
    private var written: [String] = []
    private var part: [UInt8] = []
    private var isCalm = true
    /// Lines that were truncated away before they were settled: nobody can know whether they were read.
    private var lost: Set<String> = []

    init(_ seed: UInt64) {
        numbers = SeededNumbers(seed)
        files.makeDirectory("/log")
        writer = files.create("/log/x")!
        kernel = ModelKernel(files)
        hub = WatchHub(kernel: kernel)
        engine = LineEngine("/log/x", after: nil, hub: hub, output: log)
        begin()
        // The first start is at the end.
        _ = hub.turn()
    }

    private func begin() {
        hub.add(engine)
        kernel.race = { [unowned self] in race() }
    }

    private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &numbers) < percent }

    private func race() { if !isCalm, chance(15) { change() } }

    private func change() {
        switch Int.random(in: 0..<100, using: &numbers) {
        case 0..<80: write()
        case 80..<88: rotate()
        case 88..<94: reopen()
        case 94..<97: truncate()
        case 97..<98: if writesToLog { files.pass(.seconds(6)) }
        case _: copyAndTruncate()
        }
    }

    /// A part of a line, a line, or several.
    private func write() {
        for _ in 0..<Int.random(in: 1...4, using: &numbers) {
            if part.isEmpty {
                serial += 1
                let rest = String(repeating: "x", count: Int.random(in: 0...40, using: &numbers))
                part = Array("line \(serial) \(rest)\n".utf8)
            }
            let count = chance(70) ? part.count : Int.random(in: 1...part.count, using: &numbers)
            files.append(writer, Array(part.prefix(count)))
            whole += part.prefix(count)
            part.removeFirst(count)
            guard part.isEmpty else { return }
            written.append(String(decoding: whole.dropLast(), as: UTF8.self))
            whole = []
        }
    }

    private var whole: [UInt8] = []
    private var serial = 0

    /// The program goes on in the old file until it reopens.
    private func rotate() {
        guard files.node("/log/x") === writer else { return }
        shift()
        files.move("/log/x", to: "/log/x.1")
        if chance(50) { files.create("/log/x") }
    }

    private func reopen() {
        guard files.node("/log/x") !== writer else { return }
        while !part.isEmpty { write() }
        writer = files.create("/log/x")!
    }

    /// Whether the program has followed the last rotation: it is given 5 seconds for that.
    private var writesToLog: Bool { files.node("/log/x") === writer || files.node("/log/x") == nil }

    /// What is not settled may be lost. What is written from now on is not, even if the file is longer than before when
    /// it is looked at: its first bytes differ.
    private func truncate() {
        guard files.node("/log/x") === writer else { return }
        (part, whole) = ([], [])
        let settled = Set(log.lines.prefix(log.settledCount))
        lost.formUnion(written.filter { !settled.contains($0) })
        files.truncate(writer)
    }

    /// As `copytruncate` of logrotate does.
    private func copyAndTruncate() {
        guard files.node("/log/x") === writer, part.isEmpty else { return }
        shift()
        files.write("/log/x.1", writer.content)
        truncate()
    }

    /// All are kept: a kernel does not give the number of an open file to another one, as the model does.
    private func shift() {
        for number in (1...200).reversed() { files.move("/log/x.\(number)", to: "/log/x.\(number + 1)") }
    }

    private func kill() {
        kernel.close()
        log.kill()
        for _ in 0..<Int.random(in: 0...8, using: &numbers) { change() }
        kernel = ModelKernel(files)
        kernel.numbers = SeededNumbers(numbers.next())
        hub = WatchHub(kernel: kernel)
        engine = LineEngine("/log/x", after: log.position, hub: hub, output: log)
        begin()
    }

    private func settle() {
        log.settle()
        engine.settled()
    }

    func run(steps: Int) {
        // A position to return to.
        while log.position == nil {
            write()
            _ = hub.turn()
            if log.isPending { settle() }
        }
        isCalm = false
        for _ in 0..<steps {
            files.mostQueued = chance(5) ? 2 : 100
            if chance(50) { change() }
            if chance(60) { _ = hub.turn() }
            if log.isPending, chance(40) { settle() }
            if chance(3) { kill() }
        }
        isCalm = true
        while !part.isEmpty { write() }
        var looks = 0
        for _ in 0..<10_000 {
            let turn = hub.turn()
            if log.isPending {
                settle()
                continue
            }
            // While the log is missing, it is looked for every 5 seconds.
            if case .at = turn {
                files.pass(.seconds(40))
                looks += 1
            } else if turn == .now {
                looks = 0
            }
            if files.queue.isEmpty, turn == .idle || looks > 10 { return }
        }
        Issue.record("does not come to rest")
    }

    /// What differs between the lines that were written and those that were emitted, apart from those that may be lost.
    var difference: String? {
        var expected = ArraySlice(written)
        for (number, line) in log.lines.enumerated() {
            guard let place = expected.firstIndex(of: line) else { return "line \(number) should not be: \(line)" }
            if let missed = expected[..<place].first(where: { !lost.contains($0) }) { return "missing: \(missed)" }
            expected = expected[(place + 1)...]
        }
        return expected.first { !lost.contains($0) }.map { "missing at the end: \($0)" }
    }
}

@Suite("A line source in a model of the kernel")
struct LineModelTests {
    @Test(
        "emits each line exactly once and in order, whatever is rotated, truncated, and killed",
        arguments: Effort.seeds(5))
    func exactlyOnce(seed: UInt64) {
        let model = LineModel(seed)
        model.run(steps: 500)
        #expect(model.difference == nil, "RX_SEED=\(seed)")
    }
}
