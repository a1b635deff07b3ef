import RxJSON
import RxPlatform
import RxStreams
import RxTime
import Synchronization

@testable import RxSources

/// The instant of a time with an offset, such as `2026-03-29T01:00:00Z`.
func at(_ text: String) throws -> Instant { try AtTime(text).instant(in: .utc) }

/// A zone of the system's tzdata.
func zone(_ name: String) throws -> TimeZoneRules { try ZoneFiles.system().zone(named: name) }

/// A receiver that writes down what it gets, and passes each element on.
final class RecordingReceiver: SourceReceiver {
    struct Record: Sendable {
        var elements: [SourceElement] = []
        var reports: [String?] = []
        var isFinished = false
    }

    private let record = Mutex(Record())
    private let onElement: @Sendable (SourceElement) -> Void

    init(_ onElement: @escaping @Sendable (SourceElement) -> Void = { _ in }) { self.onElement = onElement }

    var elements: [SourceElement] { record.withLock { $0.elements } }
    var reports: [String?] { record.withLock { $0.reports } }
    var isFinished: Bool { record.withLock { $0.isFinished } }

    func receive(_ elements: [SourceElement]) {
        record.withLock { $0.elements += elements }
        for element in elements { onElement(element) }
    }

    func report(waiting reason: String?) { record.withLock { $0.reports.append(reason) } }
    func report(error message: String, element: RawJSON?) {}
    func report(lost count: Int?) {}
    func finish() { record.withLock { $0.isFinished = true } }
}

extension SourceElement {
    /// A member of the value as it is in the text, without quotes.
    subscript(name: String) -> String {
        let text = value.text
        guard let key = text.firstRange(of: "\"\(name)\":") else { return "" }
        return String(text[key.upperBound...].prefix { $0 != "," && $0 != "}" }).filter { $0 != "\"" }
    }

    var local: String { self["local"] }
    var missed: Int { Int(self["missed"]) ?? -1 }
}

/// A source with a receiver, on a simulated clock.
final class SlotRun: Sendable {
    let clock: SimulatedAlarmClock
    let source: SlotSource
    let receiver: RecordingReceiver

    /// Starts a source; it settles each element at once if `settles`.
    init(
        _ definition: SlotDefinition, clock: SimulatedAlarmClock, after position: Instant? = nil, settles: Bool = true
    ) {
        let source = SlotSource(definition, clock: clock, queue: clock.queue)
        self.clock = clock
        self.source = source
        receiver = RecordingReceiver { [weak source] element in
            if settles { source?.settled(through: element.position) }
        }
        source.start(after: position.map { SlotPosition.json($0) }, into: receiver)
    }

    /// The slots on the zone's clock, with what was missed before each: `08:00 +1`.
    var slots: [String] {
        receiver.elements.map {
            let time = String($0.local.dropFirst(11).dropLast(6))
            return $0.missed == 0 ? time : "\(time) +\($0.missed)"
        }
    }

    /// Their full local times.
    var locals: [String] { receiver.elements.map(\.local) }

    func settle() { source.settled(through: receiver.elements.last?.position) }
}
