internal import RxHost
internal import RxJSON
internal import RxProtocol

/// Writes the events of one subscription as lines, and numbers them. An event gets its number when its line is
/// written, so that the sequence never has a hole.
struct EventLines {
    /// The start of every line, up to and including `"seq":`.
    private let head: [UInt8]
    private var sequence = 0

    init(subscription name: String) {
        var writer = JSONWriter()
        writer.beginObject()
        writer.field("jsonrpc", "2.0")
        writer.field("method", "event")
        writer.key("params")
        writer.beginObject()
        writer.field("subscription", name)
        writer.key("seq")
        head = writer.bytes
    }

    /// Writes an event, or its head alone if the rest is long.
    ///
    /// - Returns: the long rest, which is to follow.
    mutating func write(_ event: EncodedEvent, to writer: inout JSONWriter) -> SharedText? {
        sequence += 1
        writer.bytes.append(contentsOf: head)
        writer.int(sequence)
        let rest = event.bytes
        guard rest.count < SharedText.least else { return SharedText(rest) }
        writer.bytes.append(contentsOf: rest)
        return event.ending.map { SharedText($0.text, end: $0.rest) }
    }

    /// Writes events of a page, or the head of one alone if the rest is long.
    ///
    /// - Returns: the long rest, which is to follow.
    mutating func write(_ events: EncodedEvents, to writer: inout JSONWriter) -> SharedText? {
        if let rest = events.single, rest.count >= SharedText.least {
            sequence += 1
            writer.bytes.append(contentsOf: head)
            writer.int(sequence)
            return SharedText(rest)
        }
        var sequence = sequence
        let room = events.byteCount + events.count * (head.count + LineEnd.mostDigits)
        writer.bytes.append(addingCapacity: room) { span in
            span.withUnsafeMutableBufferPointer { buffer, count in
                var end = LineEnd(UnsafeMutableRawBufferPointer(buffer))
                events.forEach { tail in
                    sequence += 1
                    end.put(head)
                    end.put(UInt64(sequence))
                    end.put(tail)
                }
                count = end.count
            }
        }
        self.sequence = sequence
        return nil
    }

    /// Writes the events of a batch on `channels` with a cursor after `since`.
    ///
    /// - Returns: the number of bytes; nil if they may not fit, and then nothing has happened.
    mutating func write(
        _ batch: borrowing EventBatch, on channels: Channel.Set, since: UInt64,
        to block: UnsafeMutableRawBufferPointer
    ) -> Int? {
        batch.write(head: head, sequence: &sequence, channels: channels, since: since, to: block)
    }
}
