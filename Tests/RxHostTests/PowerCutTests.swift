import Rx
import RxAction
import RxJSON
import RxPlatform
import TestSupport
import Testing

@testable import RxHost
@testable import RxRecords
@testable import RxStore

/// Hosts on a disk whose machine loses power, or whose process is killed, at random calls.
@Suite("The log after a power cut", .countedApart)
struct PowerCutTests {
    private static let kinds: EventKinds = [.errors, .executions]

    /// What must not happen, with the seed.
    private struct Fault: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) { self.description = description }
    }

    /// What readers have received of a log, by the numbers of the events.
    private struct Known {
        var texts: [UInt64: String] = [:]
        /// In their order.
        var numbers: [UInt64] = []
    }

    /// A reader with its cursor.
    private struct Reader {
        /// How often it reads, of so many times.
        let rarity: UInt64
        var epoch = ""
        var number: UInt64 = 0
        /// Up to here, all events were read or reported as missing.
        var checked: UInt64 = 0
        /// The events of this log that it has read.
        var seen: Set<UInt64> = []
        var reports = 0

        /// Something is reported as missing.
        mutating func report(through number: UInt64) {
            reports += 1
            self.number = number
            checked = number
        }
    }

    /// The hosts of one state directory, one after the other.
    private final class Run {
        let seed: UInt64
        let directory = TemporaryDirectory()
        let disk: ModelDisk
        var random: SplitMix
        var readers = [Reader(rarity: 1), Reader(rarity: 5), Reader(rarity: 40)]
        /// By epochs.
        var known: [String: Known] = [:]
        var rounds: UInt64 = 0
        /// How often a reader went on where it was, in another epoch.
        var continued = 0

        init(seed: UInt64) {
            self.seed = seed
            disk = ModelDisk(seed: seed &* 7)
            random = SplitMix(seed)
        }

        func roll(_ sides: UInt64) -> UInt64 { random.next() % sides }

        /// Runs a host until its power is cut, it is killed, or it is stopped.
        func round() throws {
            rounds += 1
            let simulation = Simulation(seed: seed &* 1000 &+ rounds)
            let platform = simulation.platform(on: disk.disk)
            let ending = roll(4)
            if ending > 0 { disk.cut(within: Int(1 + roll(ending == 1 ? 30 : 300))) }
            var retention = ExecutionStore.Retention()
            // Old events leave.
            if roll(2) == 0 { retention.count = 20 }
            let store: ExecutionStore
            do {
                store = try ExecutionStore(
                    path: directory.path + "/rxd.db", retention: retention, platform: platform
                ) { _ in }
            } catch {
                guard disk.isDown else { throw Fault("seed \(seed): \(error)") }
                return disk.start()
            }
            try work(in: simulation, store, platform)
            if roll(3) == 0 { disk.kill() }
            store.close()
            // What the end has not synced may be missing, too.
            if roll(2) == 0 { disk.cut() }
            disk.start()
        }

        private func work(in simulation: Simulation, _ store: ExecutionStore, _ platform: Platform) throws {
            let puppet = Puppet()
            var queued = puppet.definition(name: "queued")
            queued.overlap = .queue(limit: 5)
            queued.isDurable = true
            queued.keepsHistory = true
            var brief = Puppet().definition(name: "brief")
            brief.keepsHistory = true
            let host = Host([queued, brief], store: store, platform: platform)
            host.resume()
            let actions = host.registry.actions
            for index in readers.indices { try read(index, host, simulation) }
            for _ in 0..<(5 + roll(60)) where !disk.isDown {
                let action = actions[Int(roll(UInt64(actions.count)))]
                switch roll(6) {
                case 0: puppet.complete()
                case 1: puppet.subject.onError(WorkFailure(message: "no"))
                case 2: host.log.inFlight.min { $0.id.description < $1.id.description }?.cancel(by: .host)
                case 3: host.log.inFlight.max { $0.id.description < $1.id.description }?.cancel(by: .host)
                case _: _ = host.execute(action, .own("\"\(String(repeating: "x", count: Int(roll(3000))))\""))
                }
                simulation.run(until: simulation.now + .milliseconds(Int(roll(700))))
                for index in readers.indices where !disk.isDown && roll(readers[index].rarity) == 0 {
                    try read(index, host, simulation)
                }
            }
            guard !disk.isDown, roll(2) == 0 else { return }
            host.stop {}
            simulation.run(until: simulation.now + .seconds(5))
            for index in readers.indices where !disk.isDown { try read(index, host, simulation) }
        }

        private func read(_ index: Int, _ host: Host, _ simulation: Simulation) throws {
            var reader = readers[index]
            defer { readers[index] = reader }
            let source = EventSource.named(host.registry.actions)
            guard !reader.epoch.isEmpty else {
                reader.epoch = host.epoch
                return reader.report(through: host.log.cursor)
            }
            var start = host.start(after: reader.number, ofLog: reader.epoch)
            if case .failure(.expired(let oldest?)) = host.log.open(source, PowerCutTests.kinds, from: start) {
                if reader.epoch != host.epoch {
                    try begin(&reader, host, oldest)
                } else {
                    reader.report(through: oldest)
                }
                start = .cursor(oldest)
            }
            guard case .success(let opening) = host.log.open(source, PowerCutTests.kinds, from: start) else {
                throw Fault("seed \(seed): \(reader.epoch):\(reader.number) is refused")
            }
            defer { host.log.unwatch(source) }
            var end = opening.cursor
            if var position = opening.position {
                try catchUp(host, simulation, source, &position, &reader)
                end = position.cursor
            }
            reader.number = max(reader.number, end)
            // It has all that any reader has received of this log.
            for number in (known[host.epoch]?.numbers ?? []).reversed() {
                guard number > reader.checked else { break }
                if !reader.seen.contains(number) { throw Fault("seed \(seed): \(host.epoch):\(number) is missing") }
            }
            reader.checked = reader.number
        }

        /// The reader goes on in another epoch of the log, with what is left of the one that it knows.
        private func begin(_ reader: inout Reader, _ host: Host, _ oldest: UInt64) throws {
            let source = EventSource.named(host.registry.actions)
            let start = try host.log.open(source, PowerCutTests.kinds, from: .start).get()
            host.log.unwatch(source)
            // Later than its cursor only if that is not kept.
            guard oldest <= max(reader.number, start.position?.cursor ?? start.cursor) else {
                throw Fault("seed \(seed): what follows \(reader.number) is left out up to \(oldest)")
            }
            if oldest == reader.number { continued += 1 }
            reader.epoch = host.epoch
            reader.seen = []
            reader.report(through: oldest)
        }

        private func catchUp(
            _ host: Host, _ simulation: Simulation, _ source: EventSource, _ position: inout CatchUpPosition,
            _ reader: inout Reader
        ) throws {
            while true {
                let portion = host.log.nextPortion(of: source, PowerCutTests.kinds, after: &position)
                for item in portion.items {
                    switch item {
                    case .event(let event): try take(event, &reader)
                    case .encoded: Issue.record("nothing is encoded without an encoder")
                    case .lost(_, _, let last): reader.report(through: max(last, reader.number))
                    }
                }
                if portion.isComplete { return }
                switch portion.need {
                case .nothing: break
                case .requested: preconditionFailure("each page is read before the next portion")
                case .page(let request), .following(let request):
                    let read = Heard<ReadPage?>()
                    host.log.read(request, of: source, PowerCutTests.kinds, after: position) { read.add($0) }
                    simulation.run(until: simulation.now)
                    position.take(read.values.first ?? nil)
                }
            }
        }

        private func take(_ event: HostEvent, _ reader: inout Reader) throws {
            let number = event.cursor
            let text = "\(event.source.name) \(event.execution?.description ?? "-") \(event.text)"
            let before = known[reader.epoch, default: Known()].texts.updateValue(text, forKey: number)
            if before == nil {
                let numbers = known[reader.epoch]?.numbers ?? []
                let place = numbers.lastIndex { $0 < number }.map { $0 + 1 } ?? 0
                known[reader.epoch]?.numbers.insert(number, at: place)
            }
            let name = "seed \(seed): \(reader.epoch):\(number) \(text)"
            if let before, before != text { throw Fault("\(name) was \(before)") }
            if !reader.seen.insert(number).inserted || number <= reader.number { throw Fault("\(name) came again") }
            reader.number = number
        }
    }

    @Test("no number is used twice, no event comes again, and what is missing is reported")
    func log() throws {
        var (events, reports, continued) = (0, 0, 0)
        for seed in UInt64(1)...10 {
            let run = Run(seed: seed)
            for _ in 0..<6 { try run.round() }
            events += run.known.values.reduce(0) { $0 + $1.numbers.count }
            reports += run.readers.reduce(0) { $0 + $1.reports }
            continued += run.continued
        }
        #expect(events > 100 && reports > 30 && continued > 10)
    }
}
