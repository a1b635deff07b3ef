/// Counts the events that outboxes have dropped to make room, all of them together. Used on the loop.
final class DroppedEvents {
    @exclusivity(unchecked) var count = 0
}
