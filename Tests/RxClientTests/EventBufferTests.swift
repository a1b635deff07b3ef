import RxJSON
import RxProtocol
import Testing

@testable import RxClient

struct EventBufferTests {
    private func event(_ sequence: Int, _ channel: Channel = .elements, _ value: String = "0", source: String = "a")
        -> StreamEvent
    {
        StreamEvent(
            subscription: "s", seq: sequence, channel: channel, cursor: "e:\(sequence)", source: source,
            content: .value(RawJSON(unchecked: Array(value.utf8))), record: .emptyObject)
    }

    private func full() -> EventBuffer {
        var buffer = EventBuffer()
        for sequence in 1...EventBuffer.limit { buffer.append(event(sequence)) }
        return buffer
    }

    @Test("up to the limit everything is kept, in order")
    func keeps() {
        var buffer = full()
        #expect(buffer.takeEvents().map(\.seq) == Array(1...EventBuffer.limit))
        #expect(buffer.isEmpty)
        #expect(buffer.take().isEmpty)
    }

    @Test("beyond the limit events are counted, with the first and the last cursor")
    func counts() {
        var buffer = full()
        for sequence in 100001...100005 { buffer.append(event(sequence)) }
        let last = buffer.takeEvents().last
        #expect(last?.channel == .lag)
        #expect(last?.value?.text == #"{"dropped":5,"first":"e:100001","last":"e:100005"}"#)
        #expect(
            last?.record.text
                == #"{"seq":100005,"channel":"lag","value":{"dropped":5,"first":"e:100001","last":"e:100005"}}"#)
    }

    @Test("the daemon's own lag is added to the count")
    func addsUp() {
        var buffer = full()
        buffer.append(event(100001))
        buffer.append(event(100002, .lag, #"{"dropped":37,"first":"e:10","last":"e:50"}"#))
        #expect(buffer.takeEvents().last?.value?.text == #"{"dropped":38,"first":"e:100001","last":"e:50"}"#)
    }

    @Test("levels beyond the limit keep their newest value for each source, and are not lost")
    func levels() {
        var buffer = full()
        buffer.append(event(100001, .executing, "true", source: "a"))
        buffer.append(event(100002, .executing, "true", source: "b"))
        buffer.append(event(100003, .executing, "false", source: "a"))
        buffer.append(event(100004, .enabled, "{}", source: "a"))
        let rest = buffer.takeEvents().dropFirst(EventBuffer.limit)
        #expect(rest.map(\.seq) == [100002, 100003, 100004])
        #expect(rest.map(\.channel) == [.executing, .executing, .enabled])
    }

    @Test("the end is never dropped and comes last")
    func end() {
        var buffer = full()
        buffer.append(event(100001))
        buffer.append(event(100002, .end, #"{"reason":"completed"}"#))
        let all = buffer.takeEvents()
        #expect(all.suffix(2).map(\.channel) == [.lag, .end])
        #expect(all.last?.reason == .completed)
    }

    @Test("after a gap was taken the buffer keeps events again")
    func recovers() {
        var buffer = full()
        buffer.append(event(100001))
        _ = buffer.take()
        buffer.append(event(100002))
        #expect(buffer.takeEvents().map(\.seq) == [100002])
    }

    @Test("long events are counted by their bytes, and one is kept however long it is")
    func bytes() {
        func long(_ sequence: Int, _ bytes: Int) -> StreamEvent {
            StreamEvent(
                subscription: "s", seq: sequence, channel: .elements, cursor: "e:\(sequence)", content: .nothing,
                record: RawJSON(unchecked: [UInt8](repeating: UInt8(ascii: "1"), count: bytes)))
        }
        var buffer = EventBuffer()
        buffer.append(long(1, EventBuffer.mostBytes * 2))
        buffer.append(long(2, 1))
        #expect(buffer.takeEvents().map(\.channel) == [.elements, .lag])
        for sequence in 3...6 { buffer.append(long(sequence, EventBuffer.mostBytes / 3)) }
        let all = buffer.takeEvents()
        #expect(all.map(\.seq) == [3, 4, 5, 6])
        #expect(all.last?.value?.text == #"{"dropped":1,"first":"e:6","last":"e:6"}"#)
    }

    private func gap(after: String, at cursor: String) -> Reconnection {
        Reconnection(
            time: Timestamp(milliseconds: 0), after: after, isResumed: false, cursor: cursor, snapshot: .emptyObject)
    }

    @Test("a gap stands in its place among the events")
    func gapInPlace() {
        var buffer = EventBuffer()
        buffer.append(event(1))
        buffer.append(gap: gap(after: "e:1", at: "f:7"))
        buffer.append(event(2))
        let all = buffer.take()
        #expect(all.map { $0.event?.seq } == [1, nil, 2])
    }

    @Test("gaps that nobody takes become one, after the lag, and outdate the levels before them")
    func gapsMerge() {
        var buffer = full()
        buffer.append(event(100001))
        buffer.append(event(100002, .executing, "true"))
        for number in 1...1000 { buffer.append(gap: gap(after: "e:\(number)", at: "f:\(number)")) }
        buffer.append(event(100003, .enabled, "{}"))
        let rest = Array(buffer.take().dropFirst(EventBuffer.limit))
        #expect(rest.map { $0.event?.channel } == [.lag, nil, .enabled])
        guard rest.count == 3, case .gap(let gap) = rest[1] else { return #expect(Bool(false)) }
        #expect(gap.after == "e:1")
        #expect(gap.cursor == "f:1000")
    }
}

extension EventBuffer {
    fileprivate mutating func takeEvents() -> [StreamEvent] { take().compactMap(\.event) }
}
