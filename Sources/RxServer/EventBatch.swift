internal import RxProtocol

/// Events of one turn and one source, each encoded once, on their way to all subscriptions of that source.
///
/// Their tails lie in one block beside a table without references, so that one delivery is two copies and a number.
struct EventBatch {
    private struct Place {
        let cursor: UInt64
        let channel: Channel.Set
        let begin: Int
        let count: Int
    }

    /// Bytes of the block in which a batch is assembled for one subscription: a batch that may not fit is written event
    /// by event.
    static let blockBytes = 65_536
    /// Bytes that take about as long to copy as a delivery does beside that.
    private static let bytesPerDelivery = 1024

    private(set) var events: [EncodedEvent] = []
    private var places: [Place] = []
    private var tails: [UInt8] = []
    /// Whether the tails do not fit into a block: then they are written event by event, and are not copied here.
    private var isTooLong = false
    /// The events of `events` that are levels.
    private(set) var levels: [EncodedEvent] = []

    var isEmpty: Bool { events.isEmpty }

    /// Bytes of the block.
    var copiedBytes: Int { tails.count }

    /// What it costs to write the batch for one subscription, in deliveries.
    var deliveriesToVisit: Int { events.count + copiedBytes / EventBatch.bytesPerDelivery }

    mutating func append(_ event: EncodedEvent) {
        if tails.count + event.tail.count > EventBatch.blockBytes { isTooLong = true }
        if !isTooLong {
            places.append(
                Place(cursor: event.cursor, channel: event.channel, begin: tails.count, count: event.tail.count))
            tails.append(contentsOf: event.tail)
        }
        events.append(event)
        if event.value != nil { levels.append(event) }
    }

    mutating func removeAll() {
        events.removeAll(keepingCapacity: true)
        places.removeAll(keepingCapacity: true)
        levels.removeAll(keepingCapacity: true)
        tails.removeAll(keepingCapacity: true)
        isTooLong = false
    }

    /// Writes the lines of the events that a subscription to `channels` since the cursor `since` carries.
    ///
    /// - Parameter sequence: the number of the subscription's last event; each event that is written increments it.
    /// - Returns: how many bytes; nil if they may not fit, and then nothing has happened.
    func write(
        head: [UInt8], sequence: inout Int, channels: Channel.Set, since: UInt64,
        to block: UnsafeMutableRawBufferPointer
    ) -> Int? {
        // An upper bound, as if the subscription carried every event.
        guard !isTooLong, tails.count + places.count * (head.count + LineEnd.mostDigits) <= block.count else {
            return nil
        }
        guard var end = block.baseAddress else { return nil }
        let start = end
        tails.withUnsafeBytes { tails in
            head.withUnsafeBytes { head in
                guard let tails = tails.baseAddress, let headBytes = head.baseAddress else { return }
                for place in places where place.cursor > since && !place.channel.isDisjoint(with: channels) {
                    sequence += 1
                    end.copyMemory(from: headBytes, byteCount: head.count)
                    end += head.count
                    end = LineEnd.write(UInt64(sequence), to: end)
                    end.copyMemory(from: tails + place.begin, byteCount: place.count)
                    end += place.count
                }
            }
        }
        return end - start
    }
}
