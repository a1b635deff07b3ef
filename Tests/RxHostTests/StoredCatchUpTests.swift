import Rx
import RxAction
import RxJSON
import RxPlatform
import Testing
import TestSupport

@testable import RxHost
@testable import RxRecords
@testable import RxStore

/// Readers that come back after memory, or the daemon, has lost events: the store has them.
@Suite("Catching up from the store", .countedApart)
struct StoredCatchUpTests {
    @Test(
        "returns every event that is kept once and in order, and counts the elements that are not",
        arguments: Effort.seeds(20))
    func random(_ seed: UInt64) async throws {
        let story = try Story(seed: seed)
        try await story.run(steps: 250)
    }

    @Test("begins with the first event since a time, wherever that is")
    func times() async throws {
        let story = try Story(seed: 7)
        try await story.run(steps: 120, reads: false)
        await story.settle()
        for event in story.events where event.isStored {
            let read = try await story.read([.errors, .executions], from: .time(event.time))
            let since = story.events.filter { $0.isStored && $0.time >= event.time }
            #expect(read.keys.filter { !$0.hasPrefix("brief") }.suffix(since.count) == since.map(\.key)[...])
        }
    }

    @Test("reports what is beyond the retention, and goes on after it")
    func trimmed() async throws {
        var retention = ExecutionStore.Retention()
        retention.count = 5
        let story = try Story(seed: 3, retention)
        try await story.run(steps: 300, reads: false)
        await story.settle()
        // Of a name without a history, each restart loses some.
        let source = EventSource.named(story.source.sources.filter { $0.name != "brief" })
        let late = try await story.read([.errors, .executions], from: .cursor(1), of: source)
        let oldest = story.store.marks.last(of: [.executions, .others])
        #expect(late.unknown == [2...oldest])
        let read = try await story.read([.errors, .executions], from: .cursor(oldest), of: source)
        let stored = story.events.filter { $0.isStored && $0.cursor > oldest }
        #expect(!stored.isEmpty && read.keys == stored.map(\.key) && !read.isUnknown)
        // Memory may have earlier ones.
        let all = try await story.read([.errors, .executions], from: .start, of: source)
        #expect(all.keys.suffix(read.keys.count) == read.keys[...] && all.keys == late.keys && !all.isUnknown)
    }

    @Test("goes on with pages until little is left, although memory has more")
    func tail() async throws {
        let file = StoreFile()
        let store = try file.open()
        defer { store.close() }
        let definition = ActionDefinition(
            name: "failing", kind: "test", scheduler: .inline, keepsHistory: true, fingerprint: "failing"
        ) { _ in .error(WorkFailure(message: "no")) }
        var limits = CatchUpLimits()
        limits.events = 3000
        let host = Host([definition], store: store, catchUp: limits)
        _ = host.resume()
        let action = try #require(host.registry["failing"])
        for _ in 0..<2000 { _ = try host.execute(action, .own()).get() }
        await store.flush()
        await store.flush()
        let source = EventSource.named([action])
        let opening = try host.log.open(source, [.errors, .executions], from: .start).get()
        defer { host.log.unwatch(source) }
        var position = try #require(opening.position)
        var (plain, encoded) = (0, 0)
        while true {
            let portion = host.log.nextPortion(of: source, [.errors, .executions], after: &position)
            for item in portion.items {
                switch item {
                case .event: plain += 1
                case .encoded(let events): encoded += events.count
                case .lost: Issue.record("everything is kept")
                }
            }
            if portion.isComplete { break }
            await host.log.read(portion.need, of: source, [.errors, .executions], for: &position) { AnyEncoder() }
        }
        #expect(plain + encoded == 6000)
        #expect(plain <= limits.fromMemory)
    }

    typealias Loss = (after: UInt64, first: UInt64, last: UInt64, end: UInt64, count: Int?)

    /// Where elements are lost from `first` to `last`, and the reader counts them after 50. The page begins after
    /// `after` and goes through 100.
    @Test(
        "ends a loss where elements are counted: memory has later ones",
        arguments: [
            (after: 5, first: 10, last: 40, end: 40, count: 31),
            (after: 5, first: 10, last: 60, end: 50, count: nil),
            (after: 5, first: 10, last: 200, end: 50, count: nil),
            (after: 5, first: 60, last: 70, end: 70, count: 11),
            // What came before this page was taken.
            (after: 80, first: 10, last: 90, end: 81, count: nil),
        ] as [Loss])
    func counted(_ gap: Loss) throws {
        let host = Host([Builtin.echo.definition(name: "echo")])
        let action = try #require(host.registry["echo"])
        let query = LogQuery(
            after: gap.after, through: 100, source: .names(["echo"]), parts: [], errors: false, executions: false,
            elements: true)
        var page = LogPage(after: query.after, through: query.through, trimmed: 0)
        page.gaps = [
            LogPage.Gap(
                name: "echo", execution: ExecutionID(), count: Int(gap.last - gap.first + 1),
                numbers: gap.first...gap.last)
        ]
        var position = StoredPosition()
        position.uncounted[0] = 50
        let read = StoredEvents(source: .named([action]), kinds: .elements)
            .page(.init(page: page, unread: nil), CatchUpRequest(query: query, holes: [], unkept: []), position)
        guard case .read(let taken, _, gap.after) = read,
            case .gap(let count, gap.first, gap.end, slot: 0)? = taken.next
        else {
            Issue.record("\(read)")
            return
        }
        #expect(count == gap.count && taken.isLast)
    }

    /// Reads a log of events without gaps, of which some cannot be read.
    ///
    /// - Returns: the events of pages and the losses, and the number of reads.
    private func read(_ last: UInt64, without damage: ClosedRange<UInt64>) -> (
        pages: [ClosedRange<UInt64>], lost: [ClosedRange<UInt64>], reads: Int
    ) {
        let reads = Locked(0)
        let found = Locked<ReadablePage.Found?>(nil)
        var (after, pages, lost): (UInt64, [ClosedRange<UInt64>], [ClosedRange<UInt64>]) = (0, [], [])
        while after < last {
            let query = LogQuery(
                after: after, through: last, source: .names(nil), parts: [], errors: true, executions: false,
                elements: false)
            ReadablePage(query) { query, completion in
                reads.withLock { $0 += 1 }
                let numbers = query.after + 1...min(query.after + 256, query.through)
                guard !numbers.overlaps(damage) else { return completion(.failure(.closed)) }
                completion(.success(LogPage(after: query.after, through: numbers.upperBound, trimmed: 0)))
            }.find { result in found.withLock { $0 = result } }
            let result = found.withLock { $0 }
            if let unread = result?.unread { lost.append(after + 1...unread) }
            guard let page = result?.page else {
                lost.append(after + 1...last)
                break
            }
            pages.append(page.after + 1...page.through)
            after = page.through
        }
        return (pages, lost, reads.withLock { $0 })
    }

    @Test("damage costs about as much of the log as it has, in one loss, and a log of which nothing can be read ends")
    func damaged() {
        for damage in [1...1, 1000...1100, 300...9000, 99_999...100_000] as [ClosedRange<UInt64>] {
            let read = read(100_000, without: damage)
            #expect(read.lost.count == 1, "\(read.lost)")
            guard let lost = read.lost.first else { continue }
            #expect(lost.lowerBound <= damage.lowerBound && lost.upperBound >= damage.upperBound)
            #expect(lost.count <= 3 * damage.count + 768, "\(lost)")
            let all = (read.pages + read.lost).sorted { $0.lowerBound < $1.lowerBound }
            #expect(all.first?.lowerBound == 1 && all.last?.upperBound == 100_000)
            #expect(zip(all, all.dropFirst()).allSatisfy { $0.upperBound + 1 == $1.lowerBound })
        }
        let nothing = read(1_000_000_000_000, without: 1...1_000_000_000_000)
        #expect(nothing.pages.isEmpty && nothing.lost == [1...1_000_000_000_000] && nothing.reads < 100)
    }

    @Test("reports a page that cannot be read as a loss, and goes on")
    func unreadable() async throws {
        let story = try Story(seed: 5)
        try await story.run(steps: 200, reads: false)
        await story.settle()
        // The reads of a closed store fail.
        story.store.reads.close()
        let read = try await story.read([.errors, .executions], from: .start)
        #expect(read.isUnknown)
        #expect(!read.keys.isEmpty && read.keys == story.events.map(\.key).filter { read.keys.contains($0) })
    }
}

/// Encodes each event as a line.
private final class AnyEncoder: PageEncoder {
    func append(_ event: HostEvent, to bytes: inout [UInt8]) -> Bool {
        bytes += "\(event.cursor)\n".utf8
        return true
    }
}

/// Encodes an event as its key, and leaves some as they are. A few lines fill a block.
private final class LineEncoder: PageEncoder {
    static let markOfElement = "+"
    private static let padding = [UInt8](repeating: UInt8(ascii: "-"), count: EncodedEvents.blockBytes / 5)

    func append(_ event: HostEvent, to bytes: inout [UInt8]) -> Bool {
        guard event.cursor % 11 != 0 else { return false }
        bytes += "\(event.source.name) \(event.cursor) \(event.text)\n".utf8
        bytes += Self.padding
        if event.kind == .elements { bytes += Self.markOfElement.utf8 }
        return true
    }
}

/// A host with three actions, whose course is decided by a seed: `kept` and `other` have a history, `brief` has none.
/// It remembers every event that it has published.
private final class Story {
    struct Told {
        let cursor: UInt64
        let time: Int64
        let kind: EventKinds
        let name: String
        let text: String
        let execution: ExecutionID?
        var key: String { "\(name) \(cursor) \(text)" }
        /// Whether the store has it, whatever happens.
        var isStored: Bool { name != "brief" && kind != .elements }
    }

    struct Read {
        var keys: [String] = []
        var elements = 0
        var lost = 0
        /// The bounds of losses of an unknown number.
        var unknown: [ClosedRange<UInt64>] = []
        var isUnknown: Bool { !unknown.isEmpty }
        /// The reader has everything up to here.
        var cursor: UInt64 = 0
        /// What is wrong with the order of the events and losses of one execution, or with the bounds of a loss.
        var faults: [String] = []

        /// Whoever comes back with the cursor of any item misses nothing and gets nothing twice. A loss has as many
        /// numbers as events; that of one execution lies between the events around it.
        mutating func checkOrder(_ item: CatchUpPortion.Item, after cursor: inout UInt64, ofOne: Bool) {
            let isWrong: Bool
            if case .lost(let count, let first, let last) = item {
                isWrong =
                    count == 0 || first > last || UInt64(count ?? 1) > last - first + 1 || last < cursor
                    || ofOne && first <= cursor
            } else {
                isWrong = item.cursor <= cursor
            }
            if isWrong { faults.append("\(item) after \(cursor)") }
            cursor = max(cursor, item.cursor)
        }
    }

    private static let names = ["kept", "other", "brief"]

    private let file = StoreFile()
    private let retention: ExecutionStore.Retention
    private let seed: UInt64
    private var random: SplitMix
    private var works: [String: Work] = [:]
    private(set) var store: ExecutionStore
    private(set) var host: Host
    private(set) var events: [Told] = []
    private var time: Int64 = 1000

    init(seed: UInt64, _ retention: ExecutionStore.Retention = .init()) throws {
        var retention = retention
        retention.output = 120
        self.retention = retention
        self.seed = seed
        random = SplitMix(seed)
        store = try file.open(retention)
        host = Host([], store: store)
        try open()
    }

    deinit { store.close() }

    var source: EventSource { .named(Self.names.compactMap { host.registry[$0] }) }

    private func open() throws {
        // Every other story is read in tiny pages.
        if seed % 2 == 1 {
            try store.reads.wait {
                $0.log.limits = LogReader.Limits(events: 7, bytes: 600, started: seed % 4 == 1 ? 1 : 2048)
            }
        }
        var limits = CatchUpLimits()
        limits.events = 40
        // Every third story is read to its end, and every third almost, although memory has the rest.
        limits.fromMemory = [0, 10, limits.fromMemory][Int(seed % 3)]
        let definitions = Self.names.map { name in
            let work = Work()
            works[name] = work
            return ActionDefinition(
                name: name, kind: "test", overlap: name == "kept" ? .reject : .queue(limit: 2), scheduler: .inline,
                keepsHistory: name != "brief", fingerprint: name
            ) { _ in work.begin() }
        }
        let clock = Clock(time)
        host = Host(
            definitions, store: store, catchUp: limits,
            platform: Platform(wallClock: WallClock { clock.next() }))
        let last = events.last?.cursor ?? 0
        // What the store has appended: the ends of the executions that were in flight.
        for event in host.resume().log.events where event.number > last {
            guard let source = host.registry[event.name], let change = HostEvent.Change(event.content) else { continue }
            remember(
                HostEvent(
                    cursor: event.number, time: event.time, source: source, execution: event.execution,
                    ordinal: event.ordinal, change: change))
        }
        host.log.watch(host.registry.actions)
    }

    /// The work of one action: each execution has a subject of its own.
    private final class Work: Sendable {
        private let current = Locked<PublishSubject<RawJSON>?>(nil)

        func begin() -> Observable<RawJSON> {
            let subject = PublishSubject<RawJSON>()
            current.withLock { $0 = subject }
            return subject.asObservable()
        }

        var subject: PublishSubject<RawJSON>? { current.withLock { $0 } }
    }

    /// Milliseconds, one later at each look.
    private final class Clock: Sendable {
        private let now: Locked<Int64>

        init(_ time: Int64) { now = Locked(time) }

        func next() -> Int64 {
            now.withLock { now in
                now += 1
                return now
            }
        }
    }

    func run(steps: Int, reads: Bool = true) async throws {
        for _ in 0..<steps {
            let name = Self.names[Int(random.next() % 3)]
            switch random.next() % 16 {
            case 0..<3: _ = host.execute(try #require(host.registry[name]), .own())
            case 3..<11: yield(name)
            case 11: end(name)
            case 12 where random.next() % 4 == 0: try await restart()
            case 13: await settle()
            case _ where reads: try await check()
            case _: break
            }
        }
        if reads {
            await settle()
            for _ in 0..<5 { try await check() }
        }
    }

    private func yield(_ name: String) {
        for _ in 0..<(random.next() % 12) {
            let element = RawJSON(unchecked: Array("\(random.next() % 100_000)".utf8))
            works[name]?.subject?.onNext(element)
        }
    }

    /// Ends the execution in flight.
    private func end(_ name: String) {
        if random.next() % 2 == 0 {
            works[name]?.subject?.onCompleted()
        } else {
            works[name]?.subject?.onError(WorkFailure(message: "no"))
        }
    }

    private func restart() async throws {
        await settle()
        time += 1_000_000
        store.close()
        store = try file.open(retention, at: time)
        try open()
    }

    /// Waits until everything is stored, and remembers it.
    func settle() async {
        await store.flush()
        await store.flush()
        for event in host.log.drain().events where !event.kind.isSubset(of: .levels) { remember(event) }
    }

    private func remember(_ event: HostEvent) {
        events.append(
            Told(
                cursor: event.cursor, time: event.time, kind: event.kind, name: event.source.name, text: event.text,
                execution: event.execution))
    }

    /// - Parameter meanwhile: called before each portion but the first.
    func read(
        _ kinds: EventKinds, from start: EventStart, of some: EventSource? = nil,
        meanwhile: () async throws -> Void = {}
    ) async throws -> Read {
        let source = some ?? self.source
        var (read, last) = (Read(), UInt64(0))
        let opening = try await host.log.openLookingUp(source, kinds, from: start).get()
        defer { host.log.unwatch(source) }
        guard var position = opening.position else { return read }
        let isOfOne = if case .executions = source { true } else { false }
        let encoder = random.next() % 3 == 0 ? nil : { @Sendable in LineEncoder() as any PageEncoder }
        while true {
            let portion = host.log.nextPortion(of: source, kinds, after: &position)
            read.cursor = portion.cursor
            for item in portion.items {
                read.checkOrder(item, after: &last, ofOne: isOfOne)
                switch item {
                case .event(let event):
                    read.keys.append("\(event.source.name) \(event.cursor) \(event.text)")
                    if event.kind == .elements { read.elements += 1 }
                case .encoded(let events):
                    events.forEach { line in
                        let line = String(decoding: line, as: UTF8.self)
                        read.keys.append(String(line.prefix { $0 != "\n" }))
                        if line.hasSuffix(LineEncoder.markOfElement) { read.elements += 1 }
                    }
                case .lost(nil, let first, let last): read.unknown.append(first...last)
                case .lost(let count?, _, _): read.lost += count
                }
            }
            if portion.isComplete { return read }
            await host.log.read(portion.need, of: source, kinds, for: &position, encoder)
            try await meanwhile()
        }
    }

    /// More events, but no endless number of them.
    private func goOn(_ left: inout Int) async throws {
        guard left > 0 else { return }
        left -= 1
        let name = Self.names[Int(random.next() % 3)]
        switch random.next() % 8 {
        case 0: _ = host.execute(try #require(host.registry[name]), .own())
        case 1: end(name)
        case 2: break
        case _: yield(name)
        }
        await settle()
    }

    /// An execution with a history.
    private func execution(_ id: ExecutionID) async throws -> HostedExecution? {
        guard events.contains(where: { $0.execution == id && $0.name != "brief" }) else { return nil }
        if let known = host.execution(id) { return known }
        return try await store.found(id).flatMap { host.past($0) }
    }

    /// Reads from a random event on, and compares.
    private func check() async throws {
        await settle()
        let choices: [EventKinds] = [
            .errors, .executions, [.errors, .executions], .elements, [.elements, .errors, .executions],
        ]
        let kinds = choices[Int(random.next() % 5)]
        let isFromStart = events.isEmpty || random.next() % 5 == 0
        let from = isFromStart ? 0 : events[Int(random.next() % UInt64(events.count))].cursor
        // One execution, or all names.
        let id = random.next() % 4 == 0 ? events.randomElement(using: &random)?.execution : nil
        var one: HostedExecution?
        if let id { one = try await execution(id) }
        let name = one == nil && random.next() % 3 == 0 ? Self.names[Int(random.next() % 2)] : nil
        // Every second reader reads while there is more.
        var more = random.next() % 2 == 0 ? 0 : 20
        let source = one.map { .executions([$0]) } ?? name.map { .named([host.registry[$0]!]) } ?? source
        let read = try await read(kinds, from: .cursor(from), of: source) { try await goOn(&more) }
        let all = events.filter {
            $0.cursor > from && $0.cursor <= read.cursor && kinds.contains($0.kind)
                && (one == nil || $0.execution == id) && (name == nil || $0.name == name)
        }
        let hint: Comment = "seed \(seed), from \(from), kinds \(kinds.rawValue), time \(time), only \(one?.id) \(name)"
        #expect(read.faults == [], hint)
        var rest = all.map(\.key)[...]
        for key in read.keys {
            guard let place = rest.firstIndex(of: key) else {
                let known = all.contains { $0.key == key } ? "twice or out of order" : "although it never happened"
                Issue.record("\(key) came \(known); \(hint)")
                return
            }
            rest = rest[(place + 1)...]
        }
        let got = Set(read.keys)
        let missing = all.filter { !got.contains($0.key) }
        #expect(missing.filter(\.isStored).map(\.key) == [], hint)
        if read.isUnknown {
            #expect(read.lost <= missing.count, hint)
        } else {
            #expect(read.lost == missing.count, "\(hint), missing \(missing.map(\.key)), got \(read.keys)")
        }
    }
}
