internal import RxPlatform

/// Who is called when a clock, or the zone of a machine, has changed.
struct ClockObservers {
    private var calls: [Int: AlarmHeap.Call] = [:]
    private var added = 0

    /// The calls, in the order in which they were added.
    var all: [AlarmHeap.Call] { calls.sorted { $0.key < $1.key }.map(\.value) }

    mutating func add(_ call: AlarmHeap.Call) -> ClockObserver {
        added += 1
        calls[added] = call
        return ClockObserver(number: added)
    }

    /// Removes an observer and returns its call, for the caller to release.
    mutating func remove(_ observer: ClockObserver) -> AlarmHeap.Call? { calls.removeValue(forKey: observer.number) }
}
