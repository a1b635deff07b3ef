import RxJSON
import RxProtocol
import Testing

@testable import RxClient

struct EventBufferTests {
    private func event(_ sequence: Int, _ channel: Channel = .elements, _ value: String = "0", source: String = "a")
        -> StreamEvent
    {
        StreamEvent(
            subscription: "s", sequence: sequence, channel: channel, cursor: "e:\(sequence)", source: source,
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
        #expect(buffer.take().map(\.sequence) == Array(1...EventBuffer.limit))
        #expect(buffer.isEmpty)
        #expect(buffer.take().isEmpty)
    }

    @Test("beyond the limit events are counted, with the first and the last cursor")
    func counts() {
        var buffer = full()
        for sequence in 2001...2005 { buffer.append(event(sequence)) }
        let last = buffer.take().last
        #expect(last?.channel == .lag)
        #expect(last?.value?.text == #"{"dropped":5,"first":"e:2001","last":"e:2005"}"#)
        #expect(
            last?.record.text
                == #"{"seq":2005,"channel":"lag","value":{"dropped":5,"first":"e:2001","last":"e:2005"}}"#)
    }

    @Test("the daemon's own lag is added to the count")
    func addsUp() {
        var buffer = full()
        buffer.append(event(2001))
        buffer.append(event(2002, .lag, #"{"dropped":37,"first":"e:10","last":"e:50"}"#))
        #expect(buffer.take().last?.value?.text == #"{"dropped":38,"first":"e:2001","last":"e:50"}"#)
    }

    @Test("levels beyond the limit keep their newest value for each source, and are not lost")
    func levels() {
        var buffer = full()
        buffer.append(event(2001, .executing, "true", source: "a"))
        buffer.append(event(2002, .executing, "true", source: "b"))
        buffer.append(event(2003, .executing, "false", source: "a"))
        buffer.append(event(2004, .enabled, "{}", source: "a"))
        let rest = buffer.take().dropFirst(EventBuffer.limit)
        #expect(rest.map(\.sequence) == [2002, 2003, 2004])
        #expect(rest.map(\.channel) == [.executing, .executing, .enabled])
    }

    @Test("the end is never dropped and comes last")
    func end() {
        var buffer = full()
        buffer.append(event(2001))
        buffer.append(event(2002, .end, #"{"reason":"completed"}"#))
        let all = buffer.take()
        #expect(all.suffix(2).map(\.channel) == [.lag, .end])
        #expect(all.last?.endReason == .completed)
    }

    @Test("after a gap was taken the buffer keeps events again")
    func recovers() {
        var buffer = full()
        buffer.append(event(2001))
        _ = buffer.take()
        buffer.append(event(2002))
        #expect(buffer.take().map(\.sequence) == [2002])
    }
}
